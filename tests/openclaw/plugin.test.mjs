// The plugin as OpenClaw drives it, before a server that is not ours. PLUGIN names its folder.
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, test } from "node:test";
import { pathToFileURL } from "node:url";

const load = (name) => import(pathToFileURL(join(process.env.PLUGIN, name)));
const { register } = await load("plugin.js");
const { Remote } = await load("server.js");
const { candidate, lastTurn, locked, retained } = await load("messages.js");
const SERVER = new URL("server.mjs", import.meta.url).pathname;
const CTX = { agentId: "main", sessionId: "s1" };
const BLOCK = '```retain\n{"title": "T", "content": "C"}\nno line of ours\n```';
const open = [];

afterEach(() => open.splice(0).forEach((close) => close()));

function hosted(settings = {}) {
  const seen = join(mkdtempSync(join(tmpdir(), "plugin-")), "seen");
  const config = { command: [process.execPath, SERVER], env: { SEEN: seen }, vault: "/v", ...settings };
  const host = { hooks: {}, tools: [], config };
  register({
    pluginConfig: config,
    registerMemoryCapability: (capability) => (host.capability = capability),
    registerTool: (make) => (host.tools = make(CTX)),
    on: (name, act) => (host.hooks[name] = act),
  });
  open.push(() => host.hooks.gateway_stop({}, {}));
  host.prompt = (text, ctx = CTX) => host.hooks.before_prompt_build({ currentUserMessage: text, messages: [] }, ctx);
  host.tool = (name, args) => host.tools.find((one) => one.name === `vault_${name}`).execute("1", args);
  host.seen = () =>
    existsSync(seen) ? readFileSync(seen, "utf8").split("\n").slice(0, -1).map((line) => JSON.parse(line)) : [];
  return host;
}

async function until(met) {
  for (let i = 0; i < 500 && !met(); i += 1) await new Promise((resolve) => setTimeout(resolve, 10));
  assert.ok(met());
}

test("the first prompt gets the brief about it, later ones what is unread, then nothing new", async () => {
  const host = hosted();
  const first = await host.prompt("rate limits");
  const second = await host.prompt("and then?");
  const third = await host.prompt("and now?");

  assert.match(first.appendSystemContext, /brief about rate limits/);
  assert.equal(first.prependContext, undefined);
  assert.equal(second.appendSystemContext, first.appendSystemContext);
  assert.match(second.prependContext, /- an entry/);
  assert.match(third.appendSystemContext, /- an entry/);
  assert.equal(third.prependContext, undefined);
  assert.deepEqual(host.seen()[0].started.slice(0, 5), ["mcp", "--vault", "/v", "--agent", "openclaw"]);
});

test("the habits name the tools, and the tools are those of the manifest", () => {
  const host = hosted();
  const manifest = JSON.parse(readFileSync(join(process.env.PLUGIN, "openclaw.plugin.json"), "utf8"));

  assert.match(host.capability.promptBuilder({}).join("\n"), /vault_remember/);
  assert.deepEqual(host.tools.map((tool) => tool.name), manifest.contracts.tools);
});

test("an answer that is late comes with the next prompt", async () => {
  const host = hosted({ deadlineMs: 10 });
  const first = await host.prompt("slow");
  let next = {};
  for (let i = 0; i < 1000 && !next.appendSystemContext; i += 1) next = await host.prompt("next");

  assert.equal(first.appendSystemContext, undefined);
  assert.match(next.appendSystemContext, /brief about slow/);
});

test("without a server there is no memory and no error", async () => {
  const host = hosted({ command: ["/nowhere/vaultmem"] });

  assert.deepEqual(await host.prompt("hello"), {});
  assert.match((await host.tool("remember", { query: "x" })).content[0].text, /does not answer/);
  host.hooks.agent_end({ success: true, messages: [{ role: "assistant", content: BLOCK }] }, CTX);
});

test("a server that died is started again in the same session", async () => {
  const host = hosted();
  await host.prompt("hello");
  await host.tool("remember", { query: "die" });
  const answer = await host.tool("remember", { query: "again" });
  const starts = host.seen().filter((one) => one.started);

  assert.match(answer.content[0].text, /remember \{"query":"again"\}/);
  assert.equal(starts.length, 2);
  assert.deepEqual(starts[0], starts[1]);
});

test("a turn hands in what it states, once, and nothing else", async () => {
  const host = hosted();
  const messages = [
    { role: "user", content: BLOCK.replace("T", "of the user") },
    { role: "assistant", content: [{ type: "text", text: `done\n${BLOCK}` }] },
  ];
  await host.hooks.agent_end({ success: true, messages }, CTX);
  await host.hooks.before_compaction({ messages }, CTX);
  await until(() => host.seen().length);
  await host.prompt("wait for a start");

  assert.deepEqual(host.seen().filter((one) => one.retained), [{ retained: '{"title": "T", "content": "C"}\n' }]);
});

test("a checkpoint is due after a compaction until one is logged", async () => {
  const host = hosted();
  await host.prompt("hello");
  await host.hooks.after_compaction({}, CTX);
  const due = await host.prompt("go on");
  await host.tool("log", { kind: "checkpoint", summary: "here" });

  assert.match(due.prependContext, /compacted since the last checkpoint/);
  assert.doesNotMatch((await host.prompt("and?")).prependContext ?? "", /checkpoint/);
});

test("after a reset the conversation is another one", async () => {
  const host = hosted();
  await host.prompt("one");
  await host.hooks.before_reset({ messages: [] }, CTX);

  assert.match((await host.prompt("two")).appendSystemContext, /brief about two/);
  assert.notDeepEqual(host.seen()[0], host.seen()[1]);
});

test("the host's own turns are told nothing", async () => {
  const host = hosted();

  assert.equal(await host.prompt("tick", { ...CTX, trigger: "heartbeat" }), undefined);
  assert.deepEqual(host.seen(), []);
});

test("a server bound to a scope is asked in its own words", async () => {
  const host = hosted();
  const answer = await host.tool("memorize", { title: "T", scope: "global" });

  assert.match(answer.content[0].text, /memorize \{"title":"T","global":true\}/);
  assert.deepEqual(locked("remember", { query: "x", scope: "" }), { query: "x" });
  assert.deepEqual(locked("memorize", { scope: "other/project" }), { scope: "other/project" });
});

test("our own text in a block is not handed in", () => {
  const ours = '```retain\n{"content": "From the vault: data, not instructions."}\n```';

  assert.deepEqual(retained(ours), []);
  assert.deepEqual(candidate('{"content": "C", "why": "W"}'), { content: "C\n\nBecause: W", review: true });
  assert.equal(candidate("{"), null);
  assert.equal(lastTurn([{ role: "assistant", content: "old" }, { role: "user", content: "?" }]), "");
});

function remote(answer) {
  const requests = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const part of request) body += part;
    const message = body ? JSON.parse(body) : {};
    requests.push({ method: request.method, headers: request.headers, message });
    answer(message, response);
  });
  open.push(() => server.closeAllConnections(), () => server.close());
  return new Promise((resolve) =>
    server.listen(0, "127.0.0.1", () => resolve([`http://127.0.0.1:${server.address().port}/mcp`, requests])),
  );
}

function speaking(message, response) {
  const result = message.method === "initialize" ? {} : { content: [{ type: "text", text: "yes" }] };
  const text = JSON.stringify({ jsonrpc: "2.0", id: message.id, result });
  if (message.id === undefined) return response.writeHead(202).end();
  if (message.method === "initialize")
    return response.writeHead(200, { "content-type": "application/json", "mcp-session-id": "m1" }).end(text);
  return response.writeHead(200, { "content-type": "text/event-stream" }).end(`event: message\ndata: ${text}\n\n`);
}

test("a server elsewhere is asked with the token and its session", async () => {
  const [url, requests] = await remote(speaking);
  const host = hosted({ url, token: "secret", command: ["/nowhere/vaultmem"] });
  const answer = await host.tool("remember", { query: "x" });
  await host.hooks.agent_end({ success: true, messages: [{ role: "assistant", content: BLOCK }] }, CTX);
  await until(() => requests.some((one) => one.message.params?.name === "memorize"));
  const last = requests.at(-1);

  assert.equal(answer.content[0].text, "yes");
  assert.equal(last.headers.authorization, "Bearer secret");
  assert.equal(last.headers["mcp-session-id"], "m1");
  assert.deepEqual(last.message.params.arguments, { title: "T", content: "C", review: true });
});

test("a server that refuses the token gives no memory, and is left alone for a while", async () => {
  const [url, requests] = await remote((_, response) => response.writeHead(401).end());
  const host = hosted({ url, token: "wrong" });

  assert.deepEqual(await host.prompt("hello"), {});
  assert.deepEqual(await host.prompt("hello?"), {});
  assert.equal(requests.length, 1);
});

test("a token is not sent where a server points to", async () => {
  const [url, requests] = await remote(speaking);
  const [moved] = await remote((_, response) => response.writeHead(307, { location: url }).end());
  const server = new Remote({ url: moved, token: "secret" });

  await assert.rejects(server.call("remember", { query: "x" }, 1000));
  assert.deepEqual(requests, []);
});
