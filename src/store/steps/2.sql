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

-- Apps and webhooks.

CREATE TABLE apps (
  id          INTEGER PRIMARY KEY,
  app_id      TEXT NOT NULL UNIQUE,          -- UUID
  creator_id  INTEGER NOT NULL REFERENCES users(id),
  name        TEXT NOT NULL,
  description TEXT NOT NULL,
  actions     TEXT NOT NULL,                 -- JSON array, as the API shows them
  created_at  INTEGER NOT NULL
) STRICT;
CREATE INDEX apps_creator ON apps(creator_id);

-- Where an app may speak.
CREATE TABLE app_rooms (
  app_id       INTEGER NOT NULL REFERENCES apps(id),
  room_id      INTEGER NOT NULL REFERENCES rooms(id),
  installed_at INTEGER NOT NULL,
  PRIMARY KEY (app_id, room_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX app_rooms_room ON app_rooms(room_id);

-- An id is never given twice: what is under way still names the webhook it was for.
CREATE TABLE webhooks (
  id              INTEGER PRIMARY KEY AUTOINCREMENT,
  webhook_id      TEXT NOT NULL UNIQUE,      -- UUID, lower case
  app_id          INTEGER NOT NULL REFERENCES apps(id),
  action_id       TEXT NOT NULL,             -- one of the app's actions, unless that was removed
  description     TEXT NOT NULL,
  payload_mapping TEXT NOT NULL,             -- JSON object, paths by field; {}: none
  scheme          TEXT NOT NULL,             -- plain, standard
  rate_limit      INTEGER NOT NULL,          -- calls a minute
  is_active       INTEGER NOT NULL,
  secret          BLOB NOT NULL,             -- sealed; the key is not in this file
  version         INTEGER NOT NULL,          -- grows with every change, of its app's actions too
  created_at      INTEGER NOT NULL,
  updated_at      INTEGER NOT NULL
) STRICT;
CREATE INDEX webhooks_app ON webhooks(app_id);

-- A ring of the newest 1,000 calls of each webhook: a call takes the slot of the one 1,000
-- before it.
CREATE TABLE webhook_events (
  webhook_id       INTEGER NOT NULL REFERENCES webhooks(id),
  slot             INTEGER NOT NULL,         -- serial modulo 1,000
  serial           INTEGER NOT NULL,         -- from 1, by webhook
  event_id         TEXT NOT NULL,            -- UUID
  signature_valid  INTEGER NOT NULL,
  action_triggered TEXT NOT NULL,            -- '': none was
  result_status    TEXT NOT NULL,            -- ok, duplicate, invalid_signature, rate_limited,
                                             -- payload_too_large, invalid_json, action_failed, inactive
  error_message    TEXT,
  ip_address       TEXT NOT NULL,
  created_at       INTEGER NOT NULL,
  PRIMARY KEY (webhook_id, slot)
) STRICT, WITHOUT ROWID;

-- Calls that named themselves and were carried out, in order of time.
CREATE TABLE webhook_deliveries (
  id         INTEGER PRIMARY KEY,
  delivery   BLOB NOT NULL UNIQUE,           -- SHA-256 of webhook and name
  created_at INTEGER NOT NULL
) STRICT;
