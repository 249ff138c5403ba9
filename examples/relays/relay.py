"""A relay in Python: the core, and below it the two hooks of a network.

The network here is the terminal: each line of standard input is a message, and what the assistant
says is printed. Put your network into `incoming` and `send`.

    pip install websockets          # without it the relay polls
    export CHATKEEP_EDGE_TOKEN=$(chatkeep token edge --agent-id my-relay --phone +15550111)
    CHATKEEP_URL=http://127.0.0.1:8080 python3 relay.py

What was sent is noted in `relay.sent` (ids only) before it is acknowledged: a kill repeats one
bubble at most. Each chat is worked on in order, and no chat waits for another.
"""

import base64
import json
import os
import queue
import random
import sys
import threading
import time
import urllib.error
import urllib.request
import uuid

try:
    from websockets.exceptions import ConnectionClosed, InvalidStatus
    from websockets.sync.client import connect
except ImportError:
    connect = None

PREFIX = "terminal:"  # before the ids of chats and people, which are global to the service


# The two hooks.


def incoming(relay):
    """Takes what people write and brings it up, for ever."""
    for line in sys.stdin:
        if line.strip():
            # Better an id that the network gives: it stays the same when the relay restarts.
            relay.message(
                key=str(uuid.uuid4()),
                chat=PREFIX + "1",
                sender=PREFIX + "1",
                text=line.strip(),
                timestamp=int(time.time()),
            )
    while True:
        time.sleep(3600)  # commands keep coming


def send(chat, bubble, id):
    """Sends one bubble. `id` is the same whenever the same bubble is sent. Raise Refused for what
    will never be sent, anything else to try again."""
    print(f"[{chat}] {bubble}", flush=True)


class Refused(Exception):
    pass


# The core.

LINES_MAX = 20_000  # of the journal; older ones are forgotten
TRIES_MAX = 12  # of a message that the service fails at (500): about 5 minutes
PATIENCE_S = 45  # a command that can't be sent for so long is given back to the service
BACKOFF_MAX_S = 60


def backoff(attempt):
    return min(2**attempt, BACKOFF_MAX_S) * (0.5 + random.random() / 2)


def report(text):
    print(text, file=sys.stderr, flush=True)


class Journal:
    """Ids of bubbles that were sent, and how commands ended, on disk: the newest ones."""

    def __init__(self, path, lines_max=LINES_MAX):
        self.path, self.lines_max, self.lock = path, lines_max, threading.Lock()
        self.known, self.file, self.lines = {}, None, 0
        if os.path.exists(path):
            with open(path, errors="replace") as file:
                for line in file:
                    try:
                        self.remember(*json.loads(line))
                    except (ValueError, TypeError):
                        continue  # torn by a loss of power, and never acknowledged
        self.rewrite()

    def was_sent(self, id):
        return ("sent", id) in self.known

    def ending(self, id):
        return self.known.get(("ended", id))

    def note(self, kind, id, ending=True):
        """On disk when this returns. What can't be written, as on a full disk, is known all the
        same, and written with the next one."""
        with self.lock:
            self.remember(kind, id, ending)
            try:
                if self.file is None or self.lines >= 2 * self.lines_max:
                    return self.rewrite()
                self.file.write(json.dumps([kind, id, ending]).encode() + b"\n")
                os.fsync(self.file.fileno())
                self.lines += 1
            except OSError as error:
                self.file = None
                report(f"what is sent can't be noted, a restart now may send it once more: {error}")

    def remember(self, kind, id, ending):
        self.known[kind, id] = ending
        while len(self.known) > self.lines_max:
            del self.known[next(iter(self.known))]

    def rewrite(self):
        with open(self.path + ".new", "w") as file:
            for (kind, id), ending in self.known.items():
                file.write(json.dumps([kind, id, ending]) + "\n")
            file.flush()
            os.fsync(file.fileno())
        os.replace(self.path + ".new", self.path)
        self.file, self.lines = open(self.path, "ab", buffering=0), len(self.known)


class Lanes:
    """One thread for each chat; what is put into it is done one after the other."""

    def __init__(self):
        self.lock, self.open = threading.Lock(), {}

    def put(self, chat, work):
        with self.lock:
            if chat not in self.open:
                self.open[chat] = queue.Queue()
                threading.Thread(target=self.run, args=(chat,), daemon=True).start()
            self.open[chat].put(work)

    def run(self, chat):
        while True:
            try:
                work = self.open[chat].get(timeout=60)
            except queue.Empty:
                with self.lock:
                    if self.open[chat].empty():
                        del self.open[chat]
                        return
                continue
            try:
                work()
            except Exception as error:
                report(f"work for a chat failed: {error!r}")


class Relay:
    def __init__(self, url, token, path):
        self.url, self.token = url.rstrip("/"), token
        try:
            self.agent = base64.urlsafe_b64decode(token + "=" * (-len(token) % 4)).split(b":")[0].decode()
        except ValueError:
            stop("CHATKEEP_EDGE_TOKEN is no edge token")
        self.journal, self.lanes = Journal(path), Lanes()
        self.acks, self.under_way = queue.Queue(), set()

    def message(self, key, chat, sender, text, timestamp, mode="direct", context=None):
        """Brings a message up, and sends what is answered. Returns at once."""
        body = {"chat_guid": chat, "sender": sender, "text": text, "timestamp": timestamp,
                "mode": mode, "context": context or {}}
        self.lanes.put(chat, lambda: self.bring(key, chat, body))

    def bring(self, key, chat, body):
        attempt = failures = 0
        while True:
            status, answer, wait = self.post("/edge/message", body, {"Idempotency-Key": key})
            if status == 200 and isinstance(answer, dict):
                return self.send_all(chat, key, answer.get("reply_bubbles") or [], None)
            if status == 401:
                return stop("the service does not take the token")
            if 400 <= status < 500 and status not in (408, 429):
                return report(f"a message was not taken: {status}")
            failures += status == 500
            if failures == TRIES_MAX:
                return report(f"a message is left out after {failures} tries: {status}")
            time.sleep(max(wait, backoff(attempt)))
            attempt += 1

    def send_all(self, chat, id, bubbles, patience):
        """Sends what was not sent yet, in order."""
        for number, bubble in enumerate(bubbles):
            bubble_id, attempt, since = f"{id}:{number}", 0, time.monotonic()
            while not self.journal.was_sent(bubble_id):
                try:
                    send(chat, bubble, bubble_id)
                    self.journal.note("sent", bubble_id)
                except Refused:
                    raise
                except Exception as error:
                    if patience is not None and time.monotonic() - since > patience:
                        raise
                    report(f"not sent, trying again: {error!r}")
                    time.sleep(backoff(attempt))
                    attempt += 1

    def obey(self, command):
        """Takes a command up, unless it is under way or finished."""
        id, payload = command["command_id"], command.get("payload") or {}
        if command.get("command_type") == "typing":
            return
        if ending := self.journal.ending(id):
            return self.ack(id, **ending)
        self.ack(id, status="executing")  # sending may take longer than an ack should
        if id not in self.under_way:
            self.under_way.add(id)
            self.lanes.put(payload.get("chat_guid", ""), lambda: self.carry_out(id, command))

    def carry_out(self, id, command):
        try:
            if command["command_type"] != "send_message_now":
                raise Refused("unknown command_type")
            payload = command["payload"]
            self.send_all(payload["chat_guid"], id, payload["bubbles"], PATIENCE_S)
            ending = {"status": "completed"}
        except Refused as error:
            ending = {"status": "failed", "error": str(error), "retryable": False}
        except Exception as error:
            self.under_way.discard(id)
            return self.ack(id, status="failed", error=repr(error), retryable=True)
        self.journal.note("ended", id, ending)
        self.under_way.discard(id)
        self.ack(id, **ending)

    def ack(self, id, **report):
        self.acks.put({"command_id": id, **report})

    def receive(self):
        """Commands by WebSocket, and by polling while none opens."""
        failures = unopened = 0
        while True:
            began = time.monotonic()
            if connect is None or unopened >= 2:
                self.poll(60)
                unopened = 1
                if connect is None:
                    continue
            opened, wait = self.listen()
            unopened = 0 if opened else unopened + 1
            failures = 0 if time.monotonic() - began > 60 else failures
            time.sleep(max(wait, backoff(failures)))
            failures += 1

    def listen(self):
        """One WebSocket; whether it opened, and how long to stay away."""
        url = "ws" + self.url[4:] + f"/edge/ws?edge_agent_id={self.agent}"
        headers = {"Authorization": f"Bearer {self.token}"}
        opened, wait = False, 0
        try:
            with connect(url, additional_headers=headers, open_timeout=20, max_size=2**20) as socket:
                heartbeat, silence, heard, pinged = 30, 90, time.monotonic(), 0
                while True:
                    now = time.monotonic()
                    try:
                        if now - pinged > heartbeat:
                            socket.send(json.dumps({"type": "ping"}))
                            pinged = now
                        while not self.acks.empty():
                            socket.send(json.dumps({"type": "command_ack", "data": self.acks.get()}))
                    except ConnectionClosed:
                        pass  # there may still be something to read, as `bye`
                    try:
                        frame = json.loads(socket.recv(timeout=0.1))
                    except TimeoutError:
                        if now - heard > silence:
                            return opened, wait
                        continue
                    heard, data = time.monotonic(), frame.get("data") or {}
                    if frame.get("type") == "hello":
                        opened = True
                        heartbeat, silence = data.get("heartbeat_s", 30), data.get("silence_s", 90)
                    elif frame.get("type") == "command":
                        self.obey(data)
                    elif frame.get("type") == "bye":
                        wait = (data.get("retry_after_ms") or 0) / 1000
        except ConnectionClosed as closed:
            code = closed.rcvd.code if closed.rcvd else 1006
            if code == 4401:
                stop("the service does not take the token")
            # Replaced by another relay with this name, or too fast.
            return opened, 60 if code in (4400, 4409, 4429) else wait
        except InvalidStatus as refused:
            if refused.response.status_code == 401:
                stop("the service does not take the token")
            return False, 60 if refused.response.status_code == 429 else 0
        except OSError as error:
            report(f"no WebSocket: {error}")
        return opened, wait

    def poll(self, seconds):
        until, attempt, acks = time.monotonic() + seconds, 0, []
        while time.monotonic() < until or acks:
            while not self.acks.empty() and len(acks) < 1000:
                acks.append(self.acks.get())
            body = {"acks": acks, "wait_seconds": 1 if self.under_way or acks else 25}
            status, answer, wait = self.post("/edge/sync", body, {})
            if status == 401:
                stop("the service does not take the token")
            if status == 200 and isinstance(answer, dict):
                attempt, acks = 0, []
                for command in answer.get("commands") or []:
                    self.obey(command)
                time.sleep(1.1)  # 60 polls a minute are allowed
            else:
                time.sleep(max(wait, backoff(attempt), 1.1))
                attempt += 1

    def post(self, path, body, headers):
        """Status (0: no answer), JSON, and how long to wait before another try."""
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json", **headers}
        request = urllib.request.Request(self.url + path, json.dumps(body).encode(), headers)
        try:
            with urllib.request.urlopen(request, timeout=40) as answer:
                return answer.status, json.loads(answer.read()), 0
        except urllib.error.HTTPError as error:
            wait = error.headers.get("Retry-After", "0")
            return error.code, None, int(wait) if wait.isdigit() else 0
        except (OSError, ValueError) as error:
            report(f"no answer: {error!r}")
            return 0, None, 0


def stop(why):
    """Ends the program: nothing that it does will be taken."""
    report(why)
    os._exit(1)


if __name__ == "__main__":
    if not (os.environ.get("CHATKEEP_URL") and os.environ.get("CHATKEEP_EDGE_TOKEN")):
        stop("CHATKEEP_URL and CHATKEEP_EDGE_TOKEN must be set")
    relay = Relay(os.environ["CHATKEEP_URL"], os.environ["CHATKEEP_EDGE_TOKEN"], "relay.sent")
    threading.Thread(target=incoming, args=(relay,), daemon=True).start()
    relay.receive()
