-- Chatkeep's whole current schema, version 2. `PRAGMA user_version` holds the version and
-- `PRAGMA application_id` 0x43484B50 ("CHKP") says whose file this is; both are set by the
-- code that runs this text.
--
-- Times ending in _at are milliseconds since the Unix epoch (UTC) unless said otherwise.
-- Every message touches few pages: it appends one row to `messages` and updates one row in
-- each of the two small tables `room_heads` and `usage_days`. There is no index on
-- `messages`: a room's history is a chain, from its head through `previous_id`.

CREATE TABLE meta (
  key   TEXT PRIMARY KEY,
  value TEXT NOT NULL           -- 'edge_epoch': made with the database, anew by a restore
) STRICT, WITHOUT ROWID;

CREATE TABLE users (
  id            INTEGER PRIMARY KEY,
  user_id       TEXT NOT NULL UNIQUE,          -- UUID, the public id
  phone         TEXT UNIQUE,                   -- what the chat network knows them by
  name          TEXT,
  timezone      TEXT,                          -- IANA name; NULL: unknown, UTC is used
  status        TEXT NOT NULL DEFAULT 'free',  -- the provider's: free, active, trial, canceled, past_due
  plan          TEXT,                          -- the provider's: monthly, annual
  granted_plan  TEXT,                          -- an operator's, before them; NULL: no grant
  granted_until INTEGER,                       -- the first moment without it; NULL: no end
  created_at    INTEGER NOT NULL,
  email         TEXT,                          -- as the identity provider says
  display_name  TEXT,
  pronouns      TEXT,
  deletion_requested_at  INTEGER,              -- both NULL: no deletion is pending
  deletion_scheduled_for INTEGER,
  trial_started_at       INTEGER,              -- NULL: never had one
  trial_expires_at       INTEGER,
  credit_balance         INTEGER NOT NULL DEFAULT 0, -- minor units of billing.currency
  customer_id            TEXT,                 -- the payment provider's name for them
  has_payment_method     INTEGER NOT NULL DEFAULT 0  -- as last heard
) STRICT;
CREATE INDEX users_deletion ON users(deletion_scheduled_for) WHERE deletion_scheduled_for IS NOT NULL;
CREATE UNIQUE INDEX users_customer ON users(customer_id) WHERE customer_id IS NOT NULL;

CREATE TABLE agents (
  id                INTEGER PRIMARY KEY,
  agent_id          TEXT NOT NULL UNIQUE,
  head_seq          INTEGER NOT NULL DEFAULT 0,  -- the last seq given to a command
  unfinished        INTEGER NOT NULL DEFAULT 0,  -- commands not yet ended
  tokens_valid_from INTEGER,                     -- Unix seconds; earlier tokens are refused
  last_seen_at      INTEGER,
  status            TEXT,                        -- the relay's last status report, JSON
  created_at        INTEGER NOT NULL
) STRICT;

CREATE TABLE rooms (
  id         INTEGER PRIMARY KEY,
  chat_guid  TEXT NOT NULL UNIQUE,
  mode       TEXT NOT NULL,                  -- direct, group
  owner_id   INTEGER NOT NULL REFERENCES users(id),
  agent_id   INTEGER REFERENCES agents(id),  -- who last brought a message from it; NULL: legacy
  members    BLOB NOT NULL,                  -- digest of the participants last written below
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX rooms_owner ON rooms(owner_id);

CREATE TABLE room_members (
  handle  TEXT NOT NULL,                     -- participant or sender, as the relay names them
  room_id INTEGER NOT NULL REFERENCES rooms(id),
  PRIMARY KEY (handle, room_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX room_members_room ON room_members(room_id);

CREATE TABLE room_heads (
  room_id    INTEGER PRIMARY KEY REFERENCES rooms(id),
  message_id INTEGER NOT NULL,               -- the newest message
  humans     INTEGER NOT NULL                -- human messages since the assistant's last
) STRICT;

CREATE TABLE messages (
  id          INTEGER PRIMARY KEY,
  room_id     INTEGER NOT NULL,
  user_id     INTEGER NOT NULL,
  agent_id    INTEGER,                       -- NULL: it came by the legacy endpoint
  previous_id INTEGER,                       -- the message before it in its room
  sent_at     INTEGER NOT NULL,              -- the relay's timestamp, Unix seconds
  received_at INTEGER NOT NULL,
  sender      TEXT NOT NULL,
  text        TEXT NOT NULL,
  metadata    TEXT,                          -- JSON, its keys sorted; NULL: none
  context     TEXT,                          -- JSON, its keys sorted; NULL: none
  counted     INTEGER NOT NULL,              -- 1: it used one of the day's free messages
  request     BLOB,                          -- as in kept_answers; NULL: it had an idempotency key
  unwritten   INTEGER NOT NULL,              -- messages before it whose answers may not have been
                                             -- written when it was stored; -1: all were, its own too
  bubbles     TEXT,                          -- JSON array, the reply; NULL: no answer
  access      TEXT,                          -- JSON, the answer's access object; NULL: none
  schedule    TEXT,                          -- JSON, the answer's schedule_message; NULL: none
  late        TEXT,                          -- JSON array, the reply that followed as a command; NULL: none
  decision    TEXT                           -- JSON, how a language model's reply came about; NULL: none was asked
) STRICT;

-- Messages that a language model is still to answer.
CREATE TABLE pending_replies (
  message_id INTEGER PRIMARY KEY,
  room_id    INTEGER NOT NULL,
  unprompted INTEGER NOT NULL,               -- 1: in a group, where nobody asked for it
  late       INTEGER NOT NULL DEFAULT 0,     -- 1: the request was answered; the reply will be a command
  starts     INTEGER NOT NULL DEFAULT 0      -- starts of the service that found it here
) STRICT;

-- What language models were asked, by UTC day, endpoint and class of message.
CREATE TABLE token_usage (
  day               INTEGER NOT NULL,        -- days since the epoch, UTC
  endpoint          TEXT NOT NULL,
  class             TEXT NOT NULL,           -- reflex, default, deep_reasoning, vision
  calls             INTEGER NOT NULL,        -- requests to the model's server, repeated ones too
  estimated_calls   INTEGER NOT NULL,        -- those of them whose tokens the server did not say
  prompt_tokens     INTEGER NOT NULL,
  completion_tokens INTEGER NOT NULL,
  cache_hits        INTEGER NOT NULL,        -- replies for which nobody was asked
  PRIMARY KEY (day, endpoint, class)
) STRICT, WITHOUT ROWID;

CREATE TABLE usage_days (
  user_id INTEGER NOT NULL,
  day     INTEGER NOT NULL,                  -- days since the epoch, UTC
  count   INTEGER NOT NULL,
  PRIMARY KEY (user_id, day)
) STRICT, WITHOUT ROWID;

-- Rows in order of time, so that old ones are removed from the front.
CREATE TABLE idempotency_keys (
  id         INTEGER PRIMARY KEY,
  key        BLOB NOT NULL UNIQUE,           -- SHA-256 of relay and key
  body       BLOB NOT NULL,                  -- SHA-256 of the body's bytes
  message_id INTEGER NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;

-- Answers whose connection was gone before they could be written.
CREATE TABLE kept_answers (
  id         INTEGER PRIMARY KEY,
  request    BLOB NOT NULL,                  -- SHA-256 of relay, endpoint and body
  message_id INTEGER NOT NULL,
  kept_at    INTEGER NOT NULL
) STRICT;

CREATE TABLE commands (
  id          INTEGER PRIMARY KEY,
  agent_id    INTEGER NOT NULL REFERENCES agents(id),
  seq         INTEGER NOT NULL,              -- per agent, from 1, without gaps
  command_id  TEXT NOT NULL,                 -- UUID; kept when a command moves
  room_id     INTEGER NOT NULL,
  kind        TEXT NOT NULL,                 -- send_message_now
  payload     TEXT NOT NULL,                 -- JSON, exactly as it goes out
  state       TEXT NOT NULL,                 -- queued, sent, received, executing; completed, failed, expired, moved
  attempts    INTEGER NOT NULL DEFAULT 0,
  resends     INTEGER NOT NULL DEFAULT 0,    -- after a reconnect; these are no attempts
  handed      INTEGER,                       -- place in the agent's order of first hand-outs; NULL: never
  refused     INTEGER NOT NULL DEFAULT 0,    -- 1: the relay once reported it failed
  error       TEXT,                          -- what the relay said of it
  created_at  INTEGER NOT NULL,
  expires_at  INTEGER NOT NULL,
  finished_at INTEGER,
  user_id     INTEGER,                       -- whose words or wish it carries; NULL: nobody's
  UNIQUE (agent_id, seq),
  UNIQUE (command_id, agent_id)
) STRICT;
CREATE INDEX commands_unfinished ON commands(agent_id, seq)
  WHERE state IN ('queued', 'sent', 'received', 'executing');
CREATE INDEX commands_user ON commands(user_id) WHERE user_id IS NOT NULL;
CREATE INDEX commands_waiting ON commands(room_id, agent_id) WHERE state = 'queued';

CREATE TABLE edge_events (
  id          INTEGER PRIMARY KEY,
  agent_id    INTEGER NOT NULL REFERENCES agents(id),
  event_id    TEXT NOT NULL,
  event_type  TEXT NOT NULL,
  thread_id   TEXT,
  details     TEXT,                          -- JSON
  received_at INTEGER NOT NULL,
  UNIQUE (agent_id, event_id)
) STRICT;

-- Only those still to come: a delivered one is a command, a cancelled one is gone.
CREATE TABLE reminders (
  id          INTEGER PRIMARY KEY,
  schedule_id TEXT NOT NULL UNIQUE,          -- UUID, as the answer named it
  user_id     INTEGER NOT NULL REFERENCES users(id),
  room_id     INTEGER NOT NULL REFERENCES rooms(id),
  text        TEXT NOT NULL,                 -- what is to be remembered, without decoration
  send_at     INTEGER NOT NULL,
  due_at      INTEGER NOT NULL,              -- send_at, later while it can't be queued
  created_at  INTEGER NOT NULL
) STRICT;
CREATE INDEX reminders_due ON reminders(due_at);
CREATE INDEX reminders_user ON reminders(user_id, send_at);

CREATE TABLE memories (
  id         INTEGER PRIMARY KEY,
  memory_id  TEXT NOT NULL UNIQUE,           -- UUID
  user_id    INTEGER NOT NULL REFERENCES users(id),
  text       TEXT NOT NULL,
  category   TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX memories_user ON memories(user_id, id);

-- Uses of limits of an hour and more; shorter ones live in memory.
CREATE TABLE limit_uses (
  kind    TEXT NOT NULL,
  subject TEXT NOT NULL,
  used_at INTEGER NOT NULL,
  count   INTEGER NOT NULL,
  PRIMARY KEY (kind, subject, used_at)
) STRICT, WITHOUT ROWID;
CREATE INDEX limit_uses_age ON limit_uses(used_at);

-- What an operator set a feature flag to.
CREATE TABLE flag_overrides (
  key    TEXT PRIMARY KEY,
  value  TEXT NOT NULL,                      -- JSON
  set_at INTEGER NOT NULL,
  set_by TEXT NOT NULL,
  expires_at INTEGER                         -- counts no more from then on
) STRICT, WITHOUT ROWID;

-- Who wrote in which room: where a person's messages are found.
CREATE TABLE room_authors (
  user_id INTEGER NOT NULL REFERENCES users(id),
  room_id INTEGER NOT NULL REFERENCES rooms(id),
  PRIMARY KEY (user_id, room_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX room_authors_room ON room_authors(room_id);

-- Accounts.

CREATE TABLE identities (
  issuer    TEXT NOT NULL,                   -- iss; '' for the local development key
  subject   TEXT NOT NULL,                   -- sub
  user_id   INTEGER NOT NULL REFERENCES users(id),
  tied_at   INTEGER NOT NULL,
  PRIMARY KEY (issuer, subject)
) STRICT, WITHOUT ROWID;
CREATE INDEX identities_user ON identities(user_id);

CREATE TABLE personality_profiles (
  user_id                INTEGER PRIMARY KEY REFERENCES users(id),
  openness               INTEGER,
  conscientiousness      INTEGER,
  extraversion           INTEGER,
  agreeableness          INTEGER,
  neuroticism            INTEGER,
  personality_summary    TEXT,               -- JSON object
  top_personality_traits TEXT,               -- JSON arrays of strings
  top_interests          TEXT,
  core_values            TEXT,
  lifestyle_traits       TEXT,
  selected_persona_id    TEXT,
  total_photos_analyzed  INTEGER NOT NULL DEFAULT 0,
  last_analysis_at       INTEGER
) STRICT;

CREATE TABLE traits (
  id         INTEGER PRIMARY KEY,
  user_id    INTEGER NOT NULL REFERENCES users(id),
  name       TEXT NOT NULL,
  category   TEXT NOT NULL,
  confidence INTEGER NOT NULL,
  strength   INTEGER NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX traits_user ON traits(user_id);

CREATE TABLE relationships (
  id            INTEGER PRIMARY KEY,
  user_id       INTEGER NOT NULL REFERENCES users(id),
  persona_id    TEXT NOT NULL,
  trust_score   INTEGER NOT NULL,
  rapport_score INTEGER NOT NULL,
  stage         TEXT NOT NULL,
  updated_at    INTEGER NOT NULL,
  UNIQUE (user_id, persona_id)
) STRICT;

CREATE TABLE connected_services (
  id           INTEGER PRIMARY KEY,
  user_id      INTEGER NOT NULL REFERENCES users(id),
  scope        TEXT NOT NULL,
  connected_at INTEGER NOT NULL,
  expires_at   INTEGER,
  UNIQUE (user_id, scope)
) STRICT;

CREATE TABLE miniapp_sessions (
  id            INTEGER PRIMARY KEY,
  session_id    TEXT NOT NULL UNIQUE,        -- UUID
  user_id       INTEGER NOT NULL REFERENCES users(id),
  room_id       INTEGER REFERENCES rooms(id),
  app_id        TEXT NOT NULL,               -- an app's UUID or a superpower's name
  state         TEXT NOT NULL,               -- active, ended
  started_at    INTEGER NOT NULL,
  ended_at      INTEGER,
  message_count INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX miniapp_sessions_user ON miniapp_sessions(user_id);
CREATE INDEX miniapp_sessions_room ON miniapp_sessions(room_id);
