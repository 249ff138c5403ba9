"""`POST /edge/message` as FastAPI and sqlite3 make it easiest: the body as a model, a connection
for each thread, a transaction for each message. It checks no token and decides nothing.

    python3 fastapi_peer.py DATABASE full|normal

It prints its address, and ends with its standard input. One worker: a second one waits for the
same lock of the database.
"""

import os
import socket
import sqlite3
import sys
import threading

import uvicorn
from fastapi import FastAPI
from pydantic import BaseModel

DATABASE, DURABILITY = sys.argv[1:3]
REPLY = "Noted. Ask me for reminders, or what I remember."

app = FastAPI()
local = threading.local()


class Message(BaseModel):
    chat_guid: str
    sender: str
    text: str
    timestamp: int


def connection() -> sqlite3.Connection:
    if not hasattr(local, "connection"):
        local.connection = sqlite3.connect(DATABASE, timeout=30, isolation_level=None)
        local.connection.execute("PRAGMA journal_mode = WAL")
        local.connection.execute(f"PRAGMA synchronous = {DURABILITY}")
    return local.connection


# Not async: FastAPI runs it on a thread, as its guide says for what blocks.
@app.post("/edge/message")
def receive(message: Message) -> dict:
    db = connection()
    db.execute("BEGIN IMMEDIATE")
    try:
        db.execute(
            "INSERT INTO messages (chat_guid, sender, text, timestamp) VALUES (?, ?, ?, ?)",
            (message.chat_guid, message.sender, message.text, message.timestamp),
        )
        db.execute(
            "INSERT INTO daily_counts VALUES (?, ?, 1)"
            " ON CONFLICT DO UPDATE SET messages = messages + 1",
            (message.sender, message.timestamp // 86_400),
        )
        db.execute("COMMIT")
    except BaseException:
        db.execute("ROLLBACK")
        raise
    return {
        "should_respond": True,
        "reply_bubbles": [REPLY],
        "reply_text": REPLY,
        "schedule_message": None,
        "access": None,
    }


def end_with_stdin() -> None:
    sys.stdin.buffer.read()
    os._exit(0)


connection().executescript(
    """
    CREATE TABLE messages (
        id INTEGER PRIMARY KEY, chat_guid TEXT NOT NULL, sender TEXT NOT NULL,
        text TEXT NOT NULL, timestamp INTEGER NOT NULL);
    CREATE TABLE daily_counts (
        sender TEXT NOT NULL, day INTEGER NOT NULL, messages INTEGER NOT NULL,
        PRIMARY KEY (sender, day));
    """
)
listener = socket.create_server(("127.0.0.1", 0), backlog=1024)
print("{}:{}".format(*listener.getsockname()), flush=True)
threading.Thread(target=end_with_stdin, daemon=True).start()
uvicorn.Server(uvicorn.Config(app, log_level="warning", access_log=False)).run([listener])
