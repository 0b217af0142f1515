// One conversation of an agent with its memory, and all that are open.
import { randomBytes } from "node:crypto";
import { spawn } from "node:child_process";
import { homedir } from "node:os";
import { candidate, locked, marked, retained, textOf, unlessSilent } from "./messages.js";
import { Child, Remote } from "./server.js";

const MOST_OPEN = 4;
const DUE_TURNS = 8;
const MOST_HEARD = 10; // answers with log entries that stay before the model
const AGAIN_MS = 1000; // patience with an answer that was late for an earlier prompt
const ASK_DEADLINE_MS = 30000;

/** The open conversations, each with a server of its own; the one unused longest is closed. */
export class Sessions {
  #open = new Map();
  #config;
  #note;

  constructor(config, note = () => {}) {
    this.#config = config;
    this.#note = note;
  }

  /** Return the conversation that a hook or a tool belongs to. */
  of(ctx) {
    const key = `${ctx?.agentId ?? ""} ${ctx?.sessionId ?? ctx?.sessionKey ?? ""}`;
    const found = this.#open.get(key) ?? new Session(this.#config, identity(this.#config, ctx), this.#note);
    this.#open.delete(key);
    this.#open.set(key, found);
    for (const [other, session] of this.#open) {
      if (this.#open.size <= MOST_OPEN) break;
      this.#open.delete(other);
      session.close();
    }
    return found;
  }

  /** Close the conversation of a hook: what comes under its name after that is another one. */
  end(ctx) {
    const key = `${ctx?.agentId ?? ""} ${ctx?.sessionId ?? ctx?.sessionKey ?? ""}`;
    this.#open.get(key)?.close();
    this.#open.delete(key);
  }

  close() {
    for (const session of this.#open.values()) session.close();
    this.#open.clear();
  }
}

function identity(config, ctx) {
  const own = ctx?.agentId && ctx.agentId !== "main" ? ctx.agentId : "openclaw";
  return config.agent || own.toLowerCase().replace(/[^a-z0-9-]+/g, "-");
}

/** One conversation: what was given to it, and what it hands in. */
export class Session {
  #server;
  #config;
  #flags;
  #note;
  #brief = "";
  #fresh = [];
  #heard = [];
  #asking;
  #turns = 0;
  #cut = false;
  #kept = new Set();
  #locked;

  constructor(config, agent, note = () => {}, server = undefined) {
    this.#config = config;
    this.#note = note;
    const session = `openclaw-${randomBytes(8).toString("hex")}`;
    const scope = config.scope ? ["--scope", config.scope] : [];
    const vault = config.vault ? ["--vault", config.vault] : [];
    this.#flags = [...vault, ...scope, "--agent", agent, "--session", session];
    const words = [...program(config), "mcp", ...this.#flags, "--channel", "openclaw"];
    this.#server = server ?? (config.url ? new Remote(config) : new Child(words, config.env));
  }

  /** Let the server start, so that it is there when the first prompt comes. */
  warm() {
    this.#server.open().catch(this.#note);
  }

  /**
   * Return what the model is to read: `standing` with every prompt, `fresh` with this one alone.
   * At first the server is asked for the brief about the prompt, later for what is unread. An
   * answer that comes too late is given with the next prompt, since the server counts it as read.
   */
  async told(about, deadline) {
    const patience = this.#asking ? Math.min(deadline, AGAIN_MS) : deadline;
    this.#asking ??= this.#ask(about).finally(() => (this.#asking = undefined));
    await within(this.#asking, patience);
    const fresh = this.#fresh.splice(0);
    const standing = [this.#brief, ...this.#heard];
    this.#heard = [...this.#heard, ...fresh].slice(-MOST_HEARD);
    return { standing: marked(standing), fresh: marked([...fresh, this.#due()]) };
  }

  async #ask(about) {
    try {
      if (!this.#brief) this.#brief = await this.#said("brief", { about: about.slice(0, 2000) });
      else this.#fresh.push(unlessSilent(await this.#said("log", { kind: "read" })));
    } catch (error) {
      this.#note(`${error?.message ?? error}`);
    }
  }

  async #said(tool, args) {
    const result = await this.#server.call(tool, args, ASK_DEADLINE_MS);
    if (result?.isError) throw new Error(textOf(result));
    return textOf(result);
  }

  #due() {
    if (!this.#cut && this.#turns < DUE_TURNS) return "";
    const why = this.#cut ? "The conversation was compacted" : `${this.#turns} turns were taken`;
    return `${why} since the last checkpoint: call vault_log with kind checkpoint.`;
  }

  /** Count a turn. */
  turned() {
    this.#turns += 1;
  }

  /** Note that the conversation was cut down. What is standing stays. */
  compacted() {
    this.#cut = true;
  }

  /** Return what a tool answers. Rejects where the server does not. */
  async call(tool, args, deadline) {
    const result = await this.#server.call(tool, await this.#fitted(tool, args), deadline);
    if (tool === "log" && args.kind === "checkpoint" && !result.isError) {
      this.#turns = 0;
      this.#cut = false;
    }
    return result;
  }

  async #fitted(tool, args) {
    if (!("scope" in args)) return args;
    this.#locked ??= (await this.#server.tools()).every((one) => !one.inputSchema?.properties?.scope);
    return this.#locked ? locked(tool, args) : args;
  }

  /** Hand in the facts that a text states in its `retain` blocks, each once; waits for nothing. */
  retain(text) {
    const lines = retained(text).filter((line) => !this.#kept.has(line));
    for (const line of lines) this.#kept.add(line);
    if (!lines.length) return;
    if (!this.#config.url) return hand([...program(this.#config), "retain", ...this.#flags], this.#config.env, lines);
    for (const fact of lines.map(candidate).filter(Boolean)) {
      this.#server.call("memorize", fact, ASK_DEADLINE_MS).catch(this.#note);
    }
  }

  close() {
    this.#server.close();
  }
}

function program(config) {
  return config.command ?? ["vaultmem"];
}

/** Give lines to a program that goes on by itself, even if this process ends. */
function hand(words, env, lines) {
  const child = spawn(words[0], words.slice(1), {
    stdio: ["pipe", "ignore", "ignore"],
    cwd: homedir(), // as the server, so that both work in the same scope
    detached: true,
    env: { ...process.env, ...env },
  });
  child.on("error", () => {});
  child.stdin.on("error", () => {});
  child.stdin.end(`${lines.join("\n")}\n`);
  child.unref();
}

function within(promise, deadline) {
  let timer;
  const ended = new Promise((resolve) => (timer = setTimeout(resolve, deadline)));
  return Promise.race([promise, ended]).finally(() => clearTimeout(timer));
}
