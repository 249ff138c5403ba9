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

-- Ids that are given to nobody again; nothing else is left of whoever had them.
CREATE TABLE erased_users (
  user_id   TEXT PRIMARY KEY,                -- UUID
  erased_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

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
  message_count INTEGER NOT NULL DEFAULT 0,
  last_at       INTEGER                      -- the last turn with a superpower; NULL: an app's
) STRICT;
CREATE INDEX miniapp_sessions_active ON miniapp_sessions(last_at) WHERE state = 'active';
CREATE INDEX miniapp_sessions_user ON miniapp_sessions(user_id);
CREATE INDEX miniapp_sessions_room ON miniapp_sessions(room_id);

-- Accounts that are being erased, and how far that has come. The row goes at the end.
CREATE TABLE erasures (
  user_id    INTEGER PRIMARY KEY,            -- the number that the user had in users
  public_id  TEXT NOT NULL,                  -- UUID
  phone      TEXT,                           -- until no row holds it any more
  email      TEXT,                           -- where the confirmation goes
  customers  TEXT NOT NULL,                  -- JSON array of what the payment provider called them
  started_at INTEGER NOT NULL,
  event_id   INTEGER NOT NULL DEFAULT 0,     -- events of relays up to this one are looked through
  room_id    INTEGER NOT NULL DEFAULT 0,     -- the room at work; those before it are done
  message_id INTEGER,                        -- its chain is clean from its head to this one
  rows_at    INTEGER,                        -- when the last row was removed; NULL: not yet
  memories_at INTEGER                        -- when the memory service had forgotten them; NULL: not yet
) STRICT;

-- Mails that no server has taken yet, kept 3 days at most.
CREATE TABLE outgoing_mails (
  id         INTEGER PRIMARY KEY,
  mail_id    TEXT NOT NULL,                  -- UUID, for the Message-ID: the same in every try
  recipient  TEXT NOT NULL,
  subject    TEXT NOT NULL,
  text       TEXT NOT NULL,
  attempts   INTEGER NOT NULL DEFAULT 0,
  due_at     INTEGER NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX outgoing_mails_due ON outgoing_mails(due_at);
-- Exports that people asked for. A ready one whose time is over counts as expired, whatever
-- its row says; the row goes 30 days after its file, or after it failed.
CREATE TABLE export_jobs (
  id           INTEGER PRIMARY KEY,
  job_id       TEXT NOT NULL UNIQUE,         -- UUID; the file is named after it
  user_id      INTEGER NOT NULL REFERENCES users(id),
  status       TEXT NOT NULL,                -- queued, processing, ready, failed, expired
  error        TEXT,                         -- why it failed, a sentence for the person
  starts       INTEGER NOT NULL DEFAULT 0,   -- how often it was taken up
  created_at   INTEGER NOT NULL,
  expires_at   INTEGER,                      -- the first moment without the file; NULL: there is none
  forgotten_at INTEGER                       -- the first moment without the row; NULL: unfinished
) STRICT;
CREATE INDEX export_jobs_user ON export_jobs(user_id);
CREATE INDEX export_jobs_unfinished ON export_jobs(id) WHERE status IN ('queued', 'processing');
CREATE INDEX export_jobs_ready ON export_jobs(expires_at) WHERE status = 'ready';
CREATE INDEX export_jobs_finished ON export_jobs(forgotten_at) WHERE forgotten_at IS NOT NULL;

-- What the external memory service is still to be told, each person's in order. Rows stay
-- for a minute after they are done, so that a list fetched meanwhile isn't believed.
CREATE TABLE memory_tasks (
  id         INTEGER PRIMARY KEY,
  user_id    INTEGER NOT NULL REFERENCES users(id),
  kind       TEXT NOT NULL,                  -- add, delete, delete_all
  memory_id  TEXT,                           -- ours, or for a deletion the service's; NULL: all
  attempts   INTEGER NOT NULL DEFAULT 0,     -- counted before each call
  due_at     INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  done_at    INTEGER
) STRICT;
CREATE INDEX memory_tasks_user ON memory_tasks(user_id, id);
CREATE INDEX memory_tasks_memory ON memory_tasks(memory_id) WHERE memory_id IS NOT NULL;
CREATE INDEX memory_tasks_due ON memory_tasks(due_at) WHERE done_at IS NULL;
CREATE INDEX memory_tasks_done ON memory_tasks(done_at) WHERE done_at IS NOT NULL;

-- Payments.

-- The provider's subscriptions, each as last heard of. A user's current one began last.
CREATE TABLE subscriptions (
  id                   INTEGER PRIMARY KEY,
  subscription_id      TEXT NOT NULL UNIQUE, -- the provider's name for it
  user_id              INTEGER NOT NULL REFERENCES users(id),
  customer_id          TEXT,
  status               TEXT NOT NULL,        -- free, active, trial, canceled, past_due
  status_at            INTEGER NOT NULL,     -- when the provider said so, Unix seconds
  details_at           INTEGER,              -- when it said what follows, Unix seconds; NULL: not yet
  began_at             INTEGER,              -- Unix seconds
  plan                 TEXT,                 -- monthly, annual; NULL: a price that we don't know
  current_period_end   INTEGER,
  cancel_at_period_end INTEGER NOT NULL DEFAULT 0,
  trial_started_at     INTEGER,
  trial_expires_at     INTEGER,
  ended_by_us          INTEGER NOT NULL DEFAULT 0 -- 1: it is to end because the account is
) STRICT;
CREATE INDEX subscriptions_user ON subscriptions(user_id, began_at);
CREATE INDEX subscriptions_customer ON subscriptions(customer_id) WHERE customer_id IS NOT NULL;

-- What the provider is yet to be told; the row goes when it knows.
CREATE TABLE provider_tasks (
  id         INTEGER PRIMARY KEY,
  kind       TEXT NOT NULL,                  -- cancel_at_period_end, reactivate, delete_customer
  subject    TEXT NOT NULL UNIQUE,           -- the subscription or customer; a later wish replaces an earlier one
  user_id    INTEGER,                        -- NULL: the user is gone
  key        TEXT NOT NULL,                  -- with the attempt, the idempotency key
  attempts   INTEGER NOT NULL DEFAULT 0,     -- counted before the provider is called
  due_at     INTEGER NOT NULL
) STRICT;
CREATE INDEX provider_tasks_due ON provider_tasks(due_at);
CREATE INDEX provider_tasks_user ON provider_tasks(user_id) WHERE user_id IS NOT NULL;

-- Idempotency keys of calls whose outcome is not known yet.
CREATE TABLE provider_keys (
  user_id   INTEGER NOT NULL REFERENCES users(id),
  operation TEXT NOT NULL,                   -- what is made, with a digest of what is sent
  key       TEXT NOT NULL,
  made_at   INTEGER NOT NULL,
  PRIMARY KEY (user_id, operation)
) STRICT, WITHOUT ROWID;
CREATE INDEX provider_keys_age ON provider_keys(made_at);

-- Events that have taken effect, in the order in which they came.
CREATE TABLE payment_events (
  id          INTEGER PRIMARY KEY,
  event_id    TEXT NOT NULL UNIQUE,
  kind        TEXT NOT NULL,
  received_at INTEGER NOT NULL
) STRICT;

-- Credit that was bought: each checkout session counts once.
CREATE TABLE topups (
  session_id   TEXT PRIMARY KEY,
  user_id      INTEGER NOT NULL REFERENCES users(id),
  amount_cents INTEGER NOT NULL,
  credited_at  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX topups_user ON topups(user_id);

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

-- Superpowers. What one keeps, for a person or for a room.
CREATE TABLE power_states (
  id         INTEGER PRIMARY KEY,
  user_id    INTEGER REFERENCES users(id),   -- whose it is; NULL: the room's
  room_id    INTEGER REFERENCES rooms(id),   -- NULL: the user's
  power      TEXT NOT NULL,                  -- the superpower's name
  state      TEXT NOT NULL,                  -- JSON
  previous   TEXT,                           -- JSON, before the last change; NULL: nothing to undo
  updated_at INTEGER NOT NULL,
  UNIQUE (user_id, power),
  UNIQUE (room_id, power)
) STRICT;

-- When a superpower next speaks by itself.
CREATE TABLE power_alarms (
  user_id INTEGER NOT NULL REFERENCES users(id),
  power   TEXT NOT NULL,
  room_id INTEGER NOT NULL REFERENCES rooms(id), -- where
  at      INTEGER NOT NULL,
  due_at  INTEGER NOT NULL,                  -- at, later while it is held or can't be queued
  PRIMARY KEY (user_id, power)
) STRICT, WITHOUT ROWID;
CREATE INDEX power_alarms_due ON power_alarms(due_at);
CREATE INDEX power_alarms_room ON power_alarms(room_id);
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
