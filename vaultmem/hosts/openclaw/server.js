// Speaking to the server: to a child over its pipes, or to one elsewhere over HTTP.
import { spawn } from "node:child_process";
import { homedir } from "node:os";
import { createInterface } from "node:readline";

const HELLO = {
  protocolVersion: "2025-11-25",
  capabilities: {},
  clientInfo: { name: "openclaw", version: "0.1.0" },
};
const START_MS = 30000;
const REST_MS = 30000;

/** What both ways have in common: a handshake before the first call, and a rest after a failure. */
class Server {
  #ready;
  #restUntil = 0;

  /** Be ready for calls. Rejects at once for a while after it failed, so that no turn waits again. */
  open() {
    if (Date.now() < this.#restUntil) return Promise.reject(new Error("the server is away"));
    this.#ready ??= this.begin().catch((error) => {
      this.rest();
      this.lost();
      throw error;
    });
    return this.#ready;
  }

  /** Forget the connection; the next call makes another. */
  lost() {
    this.#ready = undefined;
  }

  /** Return the result of a tool. Rejects after a deadline in milliseconds. */
  async call(tool, args, deadline) {
    await this.open();
    return this.ask("tools/call", { name: tool, arguments: args }, deadline);
  }

  /** Leave a server alone for a while that gave no answer in time. */
  rest() {
    this.#restUntil = Date.now() + REST_MS;
  }

  async tools() {
    await this.open();
    return (await this.ask("tools/list", {}, START_MS)).tools ?? [];
  }
}

/** A server that is our child, spoken to in lines of JSON. It starts again when it is needed. */
export class Child extends Server {
  #words;
  #env;
  #process;
  #number = 0;
  #asked = new Map();

  constructor(words, env = {}) {
    super();
    this.#words = words;
    this.#env = env;
  }

  async begin() {
    const [command, ...args] = this.#words;
    const child = spawn(command, args, {
      stdio: ["pipe", "pipe", "ignore"],
      cwd: homedir(), // where the host was started says nothing about what its agent works on
      env: { ...process.env, ...this.#env },
    });
    this.#process = child;
    child.on("error", (error) => this.#ended(child, error));
    child.on("exit", () => this.#ended(child, new Error("the server ended")));
    child.stdin.on("error", () => {});
    createInterface({ input: child.stdout }).on("line", (line) => this.#heard(line));
    for (const handle of [child, child.stdin, child.stdout]) handle.unref?.(); // a host may end
    await this.ask("initialize", HELLO, START_MS);
    this.#say({ method: "notifications/initialized" });
  }

  ask(method, params, deadline) {
    const id = ++this.#number;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.rest();
        this.#settle(id, { error: { message: "no answer in time" } });
      }, deadline);
      this.#asked.set(id, { resolve, reject, timer });
      this.#say({ id, method, params });
    });
  }

  close() {
    const child = this.#process;
    this.#process = undefined;
    child?.stdin.end();
    this.lost();
  }

  #say(message) {
    this.#process?.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  }

  #heard(line) {
    try {
      const message = JSON.parse(line);
      this.#settle(message.id, message);
    } catch {
      // no protocol, so it is nothing for us
    }
  }

  #settle(id, message) {
    const asked = this.#asked.get(id);
    if (!asked) return;
    this.#asked.delete(id);
    clearTimeout(asked.timer);
    if (message.error) asked.reject(new Error(message.error.message));
    else asked.resolve(message.result);
  }

  #ended(child, error) {
    if (child !== this.#process) return;
    this.#process = undefined;
    this.lost();
    for (const id of [...this.#asked.keys()]) this.#settle(id, { error });
  }
}

/** A server elsewhere, spoken to by streamable HTTP with a bearer token. */
export class Remote extends Server {
  #url;
  #token;
  #session;
  #number = 0;

  constructor({ url, token }) {
    super();
    this.#url = url;
    this.#token = token;
  }

  async begin() {
    this.#session = undefined;
    await this.ask("initialize", HELLO, START_MS);
    await this.#post({ method: "notifications/initialized" }, START_MS);
  }

  async ask(method, params, deadline) {
    const id = ++this.#number;
    const answer = await this.#post({ id, method, params }, deadline);
    const message = messages(await answer.text()).find((one) => one.id === id);
    if (!message || message.error) throw new Error(message?.error?.message ?? "no answer");
    return message.result;
  }

  close() {
    const session = this.#session;
    this.#session = undefined;
    this.lost();
    if (session) this.#send("DELETE", undefined, START_MS, session).catch(() => {});
  }

  async #post(message, deadline) {
    const answer = await this.#send("POST", message, deadline, this.#session).catch((error) => {
      this.rest();
      this.lost();
      throw error;
    });
    if (!answer.ok) {
      this.lost();
      throw new Error(`the server answered ${answer.status}`);
    }
    this.#session = answer.headers.get("mcp-session-id") ?? this.#session;
    return answer;
  }

  #send(method, message, deadline, session) {
    return fetch(this.#url, {
      method,
      redirect: "error", // a token goes nowhere but where it was meant to go
      signal: AbortSignal.timeout(deadline),
      headers: {
        accept: "application/json, text/event-stream",
        "content-type": "application/json",
        "mcp-protocol-version": HELLO.protocolVersion,
        ...(this.#token ? { authorization: `Bearer ${this.#token}` } : {}),
        ...(session ? { "mcp-session-id": session } : {}),
      },
      body: message && JSON.stringify({ jsonrpc: "2.0", ...message }),
    });
  }
}

/** Return the messages of a body: one JSON object, or a stream of events. */
function messages(body) {
  if (body.trimStart().startsWith("{")) return [JSON.parse(body)];
  return body
    .split(/\r?\n\r?\n/)
    .map((event) => event.split(/\r?\n/).filter((line) => line.startsWith("data:")))
    .map((lines) => lines.map((line) => line.slice(5).trimStart()).join("\n"))
    .filter(Boolean)
    .map((data) => JSON.parse(data));
}
