// The memory as OpenClaw sees it: hooks that give and take, and the tools. Nothing here may fail a turn.
import { readFileSync } from "node:fs";
import { Sessions } from "./session.js";
import { lastTurn, textOf } from "./messages.js";

const HERE = new URL(".", import.meta.url);
const HABITS = readFileSync(new URL("habits.md", HERE), "utf8").trim().split("\n");
const TOOLS = JSON.parse(readFileSync(new URL("tools.json", HERE), "utf8"));
const DEADLINE_MS = 8000;
const TOOL_DEADLINE_MS = 60000;
// A heartbeat and the host's own memory turn are no conversation, so nothing is told or kept there.
const SILENT = new Set(["heartbeat", "memory"]);
export const AWAY = "The memory does not answer now. Go on without it.";

/** Register the memory with OpenClaw. Settings are those of the manifest's configSchema. */
export function register(api) {
  const config = api.pluginConfig ?? {};
  const sessions = new Sessions(config, (said) => api.logger?.debug?.(`vaultmem: ${said}`));
  api.registerMemoryCapability({ promptBuilder: () => [...HABITS, ""] });
  if (config.tools !== false) registerTools(api, sessions);
  const on = (name, act) => api.on(name, safely(act));

  on("before_prompt_build", async (event, ctx) => {
    if (SILENT.has(ctx?.trigger)) return undefined;
    const about = event.currentUserMessage ?? event.prompt ?? "";
    const told = await sessions.of(ctx).told(about, config.deadlineMs ?? DEADLINE_MS);
    // OpenClaw keeps neither in the conversation, so what is to stand is said with every prompt;
    // in the system prompt it stays the same from turn to turn, which a provider can cache
    return {
      ...(told.standing ? { appendSystemContext: told.standing } : {}),
      ...(told.fresh ? { prependContext: `${told.fresh}\n\n` } : {}),
    };
  });
  on("agent_end", (event, ctx) => {
    if (SILENT.has(ctx?.trigger)) return;
    const session = sessions.of(ctx);
    session.turned();
    if (event.success) session.retain(lastTurn(event.messages));
  });
  on("before_compaction", (event, ctx) => sessions.of(ctx).retain(lastTurn(event.messages)));
  on("after_compaction", (_, ctx) => sessions.of(ctx).compacted());
  on("before_reset", (event, ctx) => {
    sessions.of(ctx).retain(lastTurn(event.messages));
    sessions.end(ctx);
  });
  on("session_start", (_, ctx) => sessions.of(ctx).warm());
  on("session_end", (event, ctx) => sessions.end({ ...ctx, sessionId: event.sessionId }));
  on("gateway_stop", () => sessions.close());
}

/** Return a hook that gives nothing where it fails. */
function safely(act) {
  return async (event, ctx) => {
    try {
      return await act(event ?? {}, ctx ?? {});
    } catch {
      return undefined;
    }
  };
}

function registerTools(api, sessions) {
  const bound = (ctx) =>
    TOOLS.map((tool) => ({
      name: `vault_${tool.name}`,
      label: `vault ${tool.name}`,
      description: tool.description,
      parameters: tool.inputSchema,
      catalogMode: "direct-only", // else the model has to search for it before each use
      async execute(_, args) {
        const text = await called(sessions.of(ctx), tool.name, args ?? {});
        return { content: [{ type: "text", text }], details: {} };
      },
    }));
  api.registerTool(bound, { names: TOOLS.map((tool) => `vault_${tool.name}`) });
}

async function called(session, tool, args) {
  try {
    return textOf(await session.call(tool, args, TOOL_DEADLINE_MS));
  } catch {
    return AWAY;
  }
}
