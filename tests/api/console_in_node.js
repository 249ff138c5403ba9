// Runs the console's script (standard input: the page) with stand-ins for the browser's objects and
// prints what its user would see, as JSON.
"use strict";

class Node {
  constructor() {
    Object.assign(this, { children: [], listeners: {}, value: "", hidden: false, checked: false });
  }
  addEventListener(name, act) { this.listeners[name] = act; }
  setAttribute() {}
  focus() {}
  append(...children) { this.children.push(...children); }
  replaceChildren(...children) { this.children = children; }
  get textContent() { return this.children.map((child) => child.textContent ?? child).join(" "); }
  set textContent(text) { this.children = text ? [text] : []; }
}

const elements = {};
const byId = (id) => (elements[id] ??= new Node());
const stored = new Map();
let calls = 0;
let answer = () => [200, {}];
const ANSWERS = {
  "/health": { status: "ok", version: "1", uptime_s: 0, checks: {} },
  "/admin/edge-agents": { agents: [] },
  "/admin/commands": { commands: [{ command_id: "1", agent_id: "ra", chat_guid: "chat-1", state: "failed" }] },
  "/admin/feature-flags": { flags: [{ key: "llm.force_basic_mode", value: false, source: "default" },
    { key: "context.max_messages", value: 15, default: 10, source: "provider" }] },
  "/admin/feature-flags/context.max_messages": { key: "context.max_messages", value: 20 },
  "/admin/feature-flags/status": { is_connected: false, circuit_breaker_open: false },
  "/admin/metrics/token-usage": { since: null, by_endpoint: [], totals: {} },
  "/admin/users": { users: [{ user_id: "A", phone: "phone-1" }], has_more: false },
  "/admin/users/A": { user_id: "A", name: "Ada" },
  "/admin/messages/1": { message_id: 1, steps: [], model: null },
  "/admin/purge": { due: [], under_way: [] },
};

Object.assign(globalThis, {
  Node,
  document: {
    getElementById: byId,
    createElement: () => new Node(),
    createTextNode: (text) => Object.assign(new Node(), { children: [text] }),
  },
  sessionStorage: {
    getItem: (key) => stored.get(key) ?? null,
    setItem: (key, value) => stored.set(key, value),
    removeItem: (key) => stored.delete(key),
  },
  async fetch(path, { headers }) {
    calls += 1;
    new Headers(headers); // refuses what no header can hold, as a browser does
    const [status, body] = answer(path.split("?")[0]);
    return new Response(typeof body === "string" ? body : JSON.stringify(body), { status });
  },
});

async function submit(form, fields) {
  calls = 0;
  for (const [id, value] of Object.entries(fields)) byId(id).value = value;
  byId(form).listeners.submit({ preventDefault() {} });
  await new Promise((resolve) => setTimeout(resolve, 50));
  return {
    notice: byId("notice").textContent, calls, is_open: byId("enter").hidden,
    searchResult: byId("searchResult").textContent, decision: byId("decision").textContent,
  };
}

async function main() {
  const page = require("node:fs").readFileSync(0, "utf8");
  new Function(page.split("<script>")[1].split("</script>")[0])();
  const known = (path) => ANSWERS[path] ? [200, ANSWERS[path]]
    : [404, { detail: "There is no " + path.split("/")[2] + " with this id." }];
  const seen = {};
  byId("enter").hidden = false;
  answer = known;
  seen.curved = await submit("enter", { token: "\u201ctoken\u201d" });
  answer = () => [401, { detail: "The credential is not valid." }];
  seen.wrong = await submit("enter", { token: "wrong" });
  answer = () => { throw new TypeError("Failed to fetch"); };
  seen.down = await submit("enter", { token: "token" });
  answer = () => [502, "<html>"];
  seen.proxy = await submit("find", { user: "A" });
  answer = known;
  seen.open = await submit("enter", { token: "token" });
  seen.user = await submit("find", { user: "A" });
  seen.no_user = await submit("find", { user: "B" });
  seen.message = await submit("explain", { message: "1" });
  seen.no_message = await submit("explain", { message: "2" });
  seen.provider = byId("provider").textContent;
  const set = (value) => submit("set", { key: "context.max_messages", value, until: "" });
  seen.set = [(await set("20")).notice, (await set("50")).notice];
  const shown = () => Object.values(elements).map((element) => element.textContent).join(" ");
  const named = () => ["chat-1", "phone-1"].map((name) => shown().includes(name));
  seen.before_leaving = named();
  // Answers that arrive after it are dropped.
  byId("reload").listeners.click();
  byId("leave").listeners.click();
  await new Promise((resolve) => setTimeout(resolve, 50));
  seen.after_leaving = named();
  seen.left = byId("notice").textContent;
  console.log(JSON.stringify(seen));
}

main();
