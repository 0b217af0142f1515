// What OpenClaw loads. Everything else imports nothing of OpenClaw, so that it runs anywhere.
import { definePluginEntry } from "openclaw/plugin-sdk/plugin-entry";
import { register } from "./plugin.js";

export default definePluginEntry({
  id: "vaultmem",
  name: "vaultmem",
  description: "A memory that agents share and a person reads: notes in a vault.",
  register,
});
