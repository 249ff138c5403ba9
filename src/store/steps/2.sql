-- Version 1 to 2: accounts, exports, erasures, subscriptions, apps and webhooks.

ALTER TABLE users ADD COLUMN email TEXT;
ALTER TABLE users ADD COLUMN display_name TEXT;
ALTER TABLE users ADD COLUMN pronouns TEXT;
ALTER TABLE users ADD COLUMN deletion_requested_at INTEGER;
ALTER TABLE users ADD COLUMN deletion_scheduled_for INTEGER;
ALTER TABLE users ADD COLUMN trial_started_at INTEGER;
ALTER TABLE users ADD COLUMN trial_expires_at INTEGER;
ALTER TABLE users ADD COLUMN credit_balance INTEGER NOT NULL DEFAULT 0;
ALTER TABLE users ADD COLUMN customer_id TEXT;
ALTER TABLE users ADD COLUMN has_payment_method INTEGER NOT NULL DEFAULT 0;
CREATE INDEX users_deletion ON users(deletion_scheduled_for) WHERE deletion_scheduled_for IS NOT NULL;
CREATE UNIQUE INDEX users_customer ON users(customer_id) WHERE customer_id IS NOT NULL;

ALTER TABLE commands ADD COLUMN user_id INTEGER;
CREATE INDEX commands_user ON commands(user_id) WHERE user_id IS NOT NULL;

-- Who wrote in which room: where a person's messages are found.
CREATE TABLE room_authors (
  user_id INTEGER NOT NULL REFERENCES users(id),
  room_id INTEGER NOT NULL REFERENCES rooms(id),
  PRIMARY KEY (user_id, room_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX room_authors_room ON room_authors(room_id);
INSERT INTO room_authors SELECT DISTINCT user_id, room_id FROM messages;

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

-- Replies of language models.

ALTER TABLE messages ADD COLUMN late TEXT;
ALTER TABLE messages ADD COLUMN decision TEXT;

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
