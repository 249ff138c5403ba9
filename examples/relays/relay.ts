// A relay in TypeScript: the core, and above it the two hooks of a network.
//
// The network here is the terminal: each line of standard input is a message, and what the
// assistant says is printed. Put your network into `incoming` and `send`. Needs Node 22.18 or
// later, which runs TypeScript as it is and has fetch and WebSocket:
//
//     export CHATKEEP_EDGE_TOKEN=$(chatkeep token edge --agent-id my-relay --phone +15550111)
//     CHATKEEP_URL=http://127.0.0.1:8080 node relay.ts
//
// What was sent is noted in `relay.sent` (ids only) before it is acknowledged: a kill repeats one
// bubble at most. Each chat is worked on in order, and no chat waits for another.

import { randomUUID } from "node:crypto";
import * as fs from "node:fs";
import { createInterface } from "node:readline";

const PREFIX = "terminal:"; // before the ids of chats and people, which are global to the service

// The two hooks.

/** Takes what people write and brings it up. */
async function incoming(relay: Relay): Promise<void> {
  for await (const line of createInterface({ input: process.stdin })) {
    if (!line.trim()) continue;
    // Better an id that the network gives: it stays the same when the relay restarts.
    relay.message(randomUUID(), {
      chat_guid: PREFIX + "1",
      sender: PREFIX + "1",
      mode: "direct",
      text: line.trim(),
      timestamp: Math.floor(Date.now() / 1000),
    });
  }
}

/** Sends one bubble. `id` is the same whenever the same bubble is sent. Throw `Refused` for what
 * will never be sent, anything else to try again. */
async function send(chat: string, bubble: string, id: string): Promise<void> {
  await new Promise<void>((done, failed) =>
    process.stdout.write(`[${chat}] ${bubble}\n`, (error) => (error ? failed(error) : done())),
  );
}

class Refused extends Error {}

// The core.

type Message = {
  chat_guid: string;
  sender: string;
  mode: "direct" | "group";
  text: string;
  timestamp: number;
  context?: Record<string, unknown>;
};
type Payload = { chat_guid: string; bubbles: string[] };
type Command = { command_id: string; command_type: string; payload: Payload };
type Ending = { status: string; error?: string; retryable?: boolean };
type Ack = Ending & { command_id: string };

const LINES_MAX = 20_000; // of the journal; older ones are forgotten
const TRIES_MAX = 12; // of a message that the service fails at (500): about 5 minutes
const PATIENCE_MS = 45_000; // a command that can't be sent for so long is given back to the service

const sleep = (ms: number) => new Promise<void>((done) => setTimeout(done, ms));
const backoff = (attempt: number) => Math.min(2 ** attempt, 60) * 1000 * (0.5 + Math.random() / 2);

/** Ends the program: nothing that it does will be taken. */
function stop(why: string): never {
  console.error(why);
  process.exit(1);
}

/** Ids of bubbles that were sent, and how commands ended, on disk: the newest ones. */
export class Journal {
  /** Oldest first. `null`: a bubble that was sent. */
  known = new Map<string, Ending | null>();
  path: string;
  linesMax: number;
  file: number | undefined;
  lines = 0;

  constructor(path: string, linesMax = LINES_MAX) {
    [this.path, this.linesMax] = [path, linesMax];
    const text = fs.existsSync(path) ? fs.readFileSync(path, "utf8") : "";
    for (const line of text.split("\n").filter(Boolean)) {
      try {
        this.remember(...(JSON.parse(line) as [string, Ending | null]));
      } catch {
        // Torn by a loss of power, and never acknowledged.
      }
    }
    this.rewrite();
  }

  wasSent(id: string): boolean {
    return this.known.get(id) === null;
  }

  /** On disk when this returns. What can't be written, as on a full disk, is known all the same,
   * and written with the next one. */
  note(id: string, ending: Ending | null): void {
    this.remember(id, ending);
    try {
      if (this.file === undefined || this.lines >= 2 * this.linesMax) return this.rewrite();
      fs.writeSync(this.file, JSON.stringify([id, ending]) + "\n");
      fs.fdatasyncSync(this.file);
      this.lines++;
    } catch (error) {
      this.close();
      console.error("what is sent can't be noted, a restart now may send it once more:", String(error));
    }
  }

  remember(id: string, ending: Ending | null): void {
    this.known.set(id, ending);
    for (const oldest of this.known.keys()) {
      if (this.known.size <= this.linesMax) break;
      this.known.delete(oldest);
    }
  }

  rewrite(): void {
    this.close();
    const lines = [...this.known].map((entry) => JSON.stringify(entry) + "\n");
    fs.writeFileSync(this.path + ".new", lines.join(""), { flush: true });
    fs.renameSync(this.path + ".new", this.path);
    [this.file, this.lines] = [fs.openSync(this.path, "a"), lines.length];
  }

  close(): void {
    if (this.file !== undefined) fs.closeSync(this.file);
    this.file = undefined;
  }
}

class Relay {
  url: string;
  token: string;
  agent: string;
  journal: Journal;
  lanes = new Map<string, Promise<void>>();
  acks: Ack[] = [];
  underWay = new Set<string>();
  /** Sends acks at once while a WebSocket is open. */
  flush = () => {};

  constructor(url: string, token: string, path: string) {
    this.url = url.replace(/\/+$/, "");
    this.token = token;
    this.agent = Buffer.from(token, "base64url").toString().split(":")[0];
    this.journal = new Journal(path);
  }

  /** What is put into a chat's lane is done one after the other. */
  inOrder(chat: string, work: () => Promise<void>): void {
    const before = this.lanes.get(chat) ?? Promise.resolve();
    const after = before.then(work).catch((error) => console.error("work for a chat failed:", error));
    this.lanes.set(chat, after);
    after.then(() => this.lanes.get(chat) === after && this.lanes.delete(chat));
  }

  /** Brings a message up, and sends what is answered. `key` is the network's own id of it. */
  message(key: string, message: Message): void {
    this.inOrder(message.chat_guid, () => this.bring(key, message));
  }

  async bring(key: string, message: Message): Promise<void> {
    for (let [attempt, failures] = [0, 0]; ; attempt++) {
      const { status, answer, wait } = await this.post("/edge/message", message, { "Idempotency-Key": key });
      if (status === 200 && answer) return this.sendAll(message.chat_guid, key, answer.reply_bubbles ?? []);
      if (status === 401) stop("the service does not take the token");
      if (status >= 400 && status < 500 && status !== 408 && status !== 429) {
        return console.error(`a message was not taken: ${status}`);
      }
      if (status === 500 && ++failures === TRIES_MAX) {
        return console.error(`a message is left out after ${failures} tries: ${status}`);
      }
      await sleep(Math.max(wait, backoff(attempt)));
    }
  }

  /** Sends what was not sent yet, in order. */
  async sendAll(chat: string, id: string, bubbles: string[], patience = Infinity): Promise<void> {
    for (const [number, bubble] of bubbles.entries()) {
      const bubbleId = `${id}:${number}`;
      const since = performance.now();
      for (let attempt = 0; !this.journal.wasSent(bubbleId); attempt++) {
        try {
          await send(chat, bubble, bubbleId);
          this.journal.note(bubbleId, null);
        } catch (error) {
          if (error instanceof Refused || performance.now() - since > patience) throw error;
          console.error("not sent, trying again:", error);
          await sleep(backoff(attempt));
        }
      }
    }
  }

  /** Takes a command up, unless it is under way or finished. */
  obey(command: Command): void {
    const id = command.command_id;
    if (command.command_type === "typing") return;
    const ended = this.journal.known.get(id);
    if (ended) return this.ack(id, ended);
    this.ack(id, { status: "executing" }); // sending may take longer than an ack should
    if (this.underWay.has(id)) return;
    this.underWay.add(id);
    this.inOrder(command.payload?.chat_guid ?? "", () => this.carryOut(id, command));
  }

  async carryOut(id: string, command: Command): Promise<void> {
    let ending: Ending = { status: "completed" };
    try {
      if (command.command_type !== "send_message_now") throw new Refused("unknown command_type");
      await this.sendAll(command.payload.chat_guid, id, command.payload.bubbles, PATIENCE_MS);
    } catch (error) {
      ending = { status: "failed", error: String(error), retryable: !(error instanceof Refused) };
    }
    if (!ending.retryable) this.journal.note(id, ending);
    this.underWay.delete(id);
    this.ack(id, ending);
  }

  ack(id: string, ending: Ending): void {
    this.acks.push({ command_id: id, ...ending });
    this.flush();
  }

  /** Commands by WebSocket, and by polling while none opens. */
  async receive(): Promise<never> {
    let unopened = 0;
    for (let failures = 0; ; failures++) {
      const began = performance.now();
      if (unopened >= 2) {
        await this.poll(60_000);
        unopened = 1;
      }
      const { opened, wait } = await this.listen();
      unopened = opened ? 0 : unopened + 1;
      if (performance.now() - began > 60_000) failures = 0;
      await sleep(Math.max(wait, backoff(failures)));
    }
  }

  /** One WebSocket; whether it opened, and how long to stay away. */
  listen(): Promise<{ opened: boolean; wait: number }> {
    const url = `ws${this.url.slice(4)}/edge/ws?edge_agent_id=${this.agent}`;
    const headers = { Authorization: `Bearer ${this.token}` };
    // Node's WebSocket takes headers; the types of browsers don't know.
    const socket = new WebSocket(url, { headers } as unknown as string[]);
    let [opened, wait, silence, heard] = [false, 0, 90_000, performance.now()];
    const say = (type: string, data?: unknown) => socket.send(JSON.stringify({ type, data }));
    const beat = () => {
      if (performance.now() - heard > silence) socket.close();
      else if (opened) say("ping");
    };
    let beats = setInterval(beat, 30_000);
    socket.onmessage = (event) => {
      heard = performance.now();
      const { type, data } = JSON.parse(event.data);
      if (type === "hello") {
        opened = true;
        silence = (data.silence_s ?? 90) * 1000;
        clearInterval(beats);
        beats = setInterval(beat, (data.heartbeat_s ?? 30) * 1000);
        this.flush = () => {
          for (const ack of this.acks.splice(0)) say("command_ack", ack);
        };
        this.flush();
      } else if (type === "command") this.obey(data);
      else if (type === "bye") wait = data.retry_after_ms ?? 0;
    };
    return new Promise((done) => {
      socket.onerror = () => {}; // `close` follows
      socket.onclose = ({ code }) => {
        clearInterval(beats);
        this.flush = () => {};
        if (code === 4401) stop("the service does not take the token");
        // Replaced by another relay with this name, or too fast.
        if ([4400, 4409, 4429].includes(code)) wait = 60_000;
        done({ opened, wait });
      };
    });
  }

  async poll(time: number): Promise<void> {
    let acks: Ack[] = [];
    for (let attempt = 0, until = performance.now() + time; performance.now() < until || acks.length > 0; ) {
      acks = acks.concat(this.acks.splice(0, 1000 - acks.length));
      const seconds = this.underWay.size > 0 || acks.length > 0 ? 1 : 25;
      const { status, answer, wait } = await this.post("/edge/sync", { acks, wait_seconds: seconds }, {});
      if (status === 401) stop("the service does not take the token");
      if (status === 200 && answer) {
        [acks, attempt] = [[], 0];
        for (const command of answer.commands ?? []) this.obey(command);
        await sleep(1_100); // 60 polls a minute are allowed
      } else {
        await sleep(Math.max(wait, backoff(attempt++), 1_100));
      }
    }
  }

  /** Status (0: no answer), JSON, and how long to wait before another try. */
  async post(path: string, body: unknown, more: Record<string, string>) {
    const headers = { Authorization: `Bearer ${this.token}`, "Content-Type": "application/json", ...more };
    const signal = AbortSignal.timeout(40_000);
    try {
      const answer = await fetch(this.url + path, { method: "POST", headers, signal, body: JSON.stringify(body) });
      const wait = Number(answer.headers.get("retry-after") ?? 0) * 1000 || 0;
      return { status: answer.status, answer: answer.ok ? await answer.json() : null, wait };
    } catch (error) {
      console.error("no answer:", String(error));
      return { status: 0, answer: null, wait: 0 };
    }
  }
}

if (process.argv[1] === import.meta.filename) {
  const { CHATKEEP_URL, CHATKEEP_EDGE_TOKEN } = process.env;
  if (!CHATKEEP_URL || !CHATKEEP_EDGE_TOKEN) stop("CHATKEEP_URL and CHATKEEP_EDGE_TOKEN must be set");
  const relay = new Relay(CHATKEEP_URL, CHATKEEP_EDGE_TOKEN, "relay.sent");
  incoming(relay);
  await relay.receive();
}
