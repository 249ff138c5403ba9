-- Chatkeep's whole current schema, version 1. `PRAGMA user_version` holds the version and
-- `PRAGMA application_id` 0x43484B50 ("CHKP") says whose file this is; both are set by the
-- code that runs this text.
--
-- Times ending in _at are milliseconds since the Unix epoch (UTC), those ending in _s are seconds.
-- `granted_until`, `deletion_scheduled_for`, `current_period_end` and `at` (of `audit` and of
-- `power_alarms`) are milliseconds, too.
-- `users` repeats its current subscription's status, plan and trial, so that a message reads one
-- row. A trial stays in `users` when its subscription is replaced: each person has one.
-- References are enforced. Some columns name rows without REFERENCES: those of `messages` and
-- `commands`, where each message would pay for it, and those whose row may be gone.
-- Every message touches few pages: it appends one row to `messages`. What it changes in the two
-- small tables `room_heads` and `usage_days` is written up to a second later, and after a kill made
-- again from the messages above 'deferred_to'. There is no index on `messages`: a room's history
-- is a chain, from its head through `previous_id`.

CREATE TABLE meta (
  key   TEXT PRIMARY KEY,
  value TEXT NOT NULL           -- 'edge_epoch': made with the database, anew by a restore;
                                -- 'last_user_id', 'last_message_id': given once, and erased;
                                -- 'deferred_to': room_heads and usage_days have what messages
                                -- up to this one changed;
                                -- 'purged_at', 'compaction_due': of the purge; 'erased_commands_…':
                                -- of an erasure, the last command that was looked through
) STRICT, WITHOUT ROWID;

CREATE TABLE users (
  id            INTEGER PRIMARY KEY,
  user_id       TEXT NOT NULL UNIQUE,          -- UUID, the public id
  phone         TEXT UNIQUE,                   -- what the chat network knows them by
  name          TEXT,
  timezone      TEXT,                          -- IANA name; NULL: unknown, UTC is used
  status        TEXT NOT NULL DEFAULT 'free'   -- of the current subscription, written with it:
    CHECK (status IN ('free', 'active', 'trial', 'canceled', 'past_due')), -- a message reads one row
  plan          TEXT CHECK (plan IN ('monthly', 'annual')), -- of the current subscription
  granted_plan  TEXT CHECK (granted_plan IN ('monthly', 'annual')), -- an operator's, before them; NULL: no grant
  granted_until INTEGER,                       -- the first moment without it; NULL: no end
  created_at    INTEGER NOT NULL,
  email         TEXT,                          -- as the identity provider says
  display_name  TEXT,
  pronouns      TEXT,
  language      TEXT,                          -- BCP 47 tag that the person asked to be written in
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
  ended_seq         INTEGER NOT NULL DEFAULT 0,  -- the largest seq of its commands that ended
  tokens_valid_from_s INTEGER,                   -- earlier tokens are refused; NULL: none is
  last_seen_at      INTEGER,
  status            TEXT,                        -- the numbers of the relay's last report, JSON
  created_at        INTEGER NOT NULL
) STRICT;

-- Registration tokens that were used; a row stays until its token has long expired.
CREATE TABLE used_registrations (
  nonce      TEXT PRIMARY KEY,               -- hex, as the token names it
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX used_registrations_expiry ON used_registrations(expires_at);

CREATE TABLE rooms (
  id         INTEGER PRIMARY KEY,
  chat_guid  TEXT NOT NULL UNIQUE,
  mode       TEXT NOT NULL CHECK (mode IN ('direct', 'group')),
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
  sent_s      INTEGER NOT NULL,              -- the relay's timestamp
  received_at INTEGER NOT NULL,
  sender      TEXT NOT NULL,
  text        TEXT NOT NULL,
  metadata    TEXT,                          -- JSON, its keys sorted; NULL: none
  context     TEXT,                          -- JSON, its keys sorted; NULL: none
  counted     INTEGER NOT NULL,              -- 1: it used one of the day's free messages
  request     BLOB,                          -- as in undelivered_answers; NULL: it had an idempotency key
  unwritten   INTEGER NOT NULL,              -- messages before it whose answers may not have been
                                             -- written when it was stored; -1: all were, its own too
  bubbles     TEXT,                          -- JSON array, the reply; NULL: no answer
  access      TEXT,                          -- JSON, the answer's access object; NULL: none
  schedule    TEXT,                          -- JSON, the answer's schedule_message; NULL: none
  late        TEXT,                          -- JSON array, the reply that followed as a command; NULL: none
  humans      INTEGER NOT NULL DEFAULT 0,    -- human messages in the room since the assistant's last,
                                             -- with this one; 0: it was answered
  decision    TEXT                           -- JSON, how a language model's reply came about; NULL: none was asked
) STRICT;

-- Photos that relays uploaded. The file is beside the database, named after the photo.
CREATE TABLE photos (
  id           INTEGER PRIMARY KEY,
  photo_id     TEXT NOT NULL UNIQUE,          -- UUID
  user_id      INTEGER NOT NULL REFERENCES users(id),  -- who sent it
  agent_id     INTEGER NOT NULL REFERENCES agents(id), -- who brought it
  message_id   INTEGER NOT NULL,              -- the message that it came with
  format       TEXT NOT NULL CHECK (format IN ('jpeg', 'png', 'webp', 'heic')),
  bytes        INTEGER NOT NULL,              -- of the file, without metadata
  is_processed INTEGER NOT NULL,              -- 1: a reply follows as a command
  created_at   INTEGER NOT NULL,
  removed_at   INTEGER                        -- when the file went; NULL: it is there
) STRICT;
CREATE INDEX photos_user ON photos(user_id, id);
CREATE INDEX photos_message ON photos(message_id);
CREATE INDEX photos_kept ON photos(created_at) WHERE removed_at IS NULL;
CREATE INDEX photos_removed ON photos(removed_at) WHERE removed_at IS NOT NULL;

-- Messages that a language model is still to answer.
CREATE TABLE pending_replies (
  message_id INTEGER PRIMARY KEY,
  room_id    INTEGER NOT NULL,
  unprompted INTEGER NOT NULL,               -- 1: in a group, where nobody asked for it
  late       INTEGER NOT NULL DEFAULT 0,     -- 1: the request was answered; the reply will be a command
  starts     INTEGER NOT NULL DEFAULT 0,     -- starts of the service that found it here
  sent       TEXT NOT NULL DEFAULT '[]'      -- JSON: texts of the reply's beginning that are commands already
) STRICT;

-- Calls of tools for pending replies whose effects stay, whatever becomes of the reply: those of
-- other servers, recorded before they go out, and those committed with the beginning of a reply.
-- None is made twice. They go with the pending reply.
CREATE TABLE done_calls (
  id         INTEGER PRIMARY KEY,
  message_id INTEGER NOT NULL REFERENCES pending_replies(message_id) ON DELETE CASCADE,
  tool       TEXT NOT NULL,                  -- as the model called it
  arguments  TEXT NOT NULL,                  -- JSON
  result     TEXT                            -- JSON; NULL: it is not known what came of it
) STRICT;
CREATE INDEX done_calls_message ON done_calls(message_id);

-- What language models were asked, by UTC day, endpoint and class of message.
CREATE TABLE token_usage (
  day               INTEGER NOT NULL,        -- days since the epoch, UTC
  endpoint          TEXT NOT NULL,
  class             TEXT NOT NULL            -- of the message
    CHECK (class IN ('reflex', 'default', 'deep_reasoning', 'vision')),
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
CREATE TABLE undelivered_answers (
  id         INTEGER PRIMARY KEY,
  request    BLOB NOT NULL,                  -- SHA-256 of relay, endpoint and body
  message_id INTEGER NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;

-- Every command pays for each index, so there is none by user or by app: an erasure looks through
-- all commands once. Which are the unfinished ones of an agent is known in memory, read at the
-- start by their index. It is in the order in which commands are added.
-- IN with more than two values would be a temporary table at every change of a row, here and below.
CREATE TABLE commands (
  id          INTEGER PRIMARY KEY,
  agent_id    INTEGER NOT NULL,
  seq         INTEGER NOT NULL,              -- per agent, from 1, without gaps
  command_id  TEXT NOT NULL,                 -- UUID; kept when a command moves, and ends in /moved/SEQ here when it returns
  room_id     INTEGER NOT NULL,
  kind        TEXT NOT NULL CHECK (kind = 'send_message_now'),
  payload     TEXT NOT NULL,                 -- JSON, exactly as it goes out
  state       TEXT NOT NULL CHECK        -- the first line is of unfinished ones
    (state = 'queued' OR state = 'sent' OR state = 'received' OR state = 'executing'
    OR state = 'completed' OR state = 'failed' OR state = 'expired' OR state = 'moved'),
  attempts    INTEGER NOT NULL DEFAULT 0,
  resends     INTEGER NOT NULL DEFAULT 0,    -- after a reconnect; these are no attempts
  send_order  INTEGER,                       -- place in the agent's order of first sends; NULL: never sent
  refused     INTEGER NOT NULL DEFAULT 0,    -- times that the relay reported it failed
  error       TEXT,                          -- what the relay said of it
  created_at  INTEGER NOT NULL,
  expires_at  INTEGER NOT NULL,
  finished_at INTEGER,
  user_id     INTEGER,                       -- whose words or wish it carries; NULL: nobody's
  backing_off INTEGER NOT NULL DEFAULT 0,    -- 1: refused, and not handed out since
  app_creator_id INTEGER,                    -- whose app sent it; NULL: no app did
  UNIQUE (command_id, agent_id)
) STRICT;
CREATE INDEX commands_unfinished ON commands(expires_at)
  WHERE (state = 'queued' OR state = 'sent' OR state = 'received' OR state = 'executing');
CREATE INDEX commands_given_up ON commands(finished_at) WHERE state IN ('failed', 'expired');

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
  created_at  INTEGER NOT NULL,
  message_id  INTEGER,                       -- the message that set it
  rule        TEXT,                          -- RFC 5545 in local time: DTSTART (the next one), RRULE, EXDATE if any; NULL: once
  zone        TEXT                           -- IANA name of the rule's time zone
) STRICT;
CREATE INDEX reminders_due ON reminders(due_at);
CREATE INDEX reminders_user ON reminders(user_id, send_at);

-- What a short message of a person in a chat refers to. Each part is of use for some minutes.
CREATE TABLE dialogs (
  room_id   INTEGER NOT NULL REFERENCES rooms(id),
  user_id   INTEGER NOT NULL REFERENCES users(id),
  question  TEXT,                            -- JSON: what the assistant asked
  asked_at  INTEGER,
  latest    TEXT,                            -- JSON: the last reminder that was set, changed or delivered, or what was taken away; which message did so, and what it changed, for "undo"
  latest_at INTEGER,
  listed    TEXT,                            -- JSON: ids of reminders in the order of the last list
  listed_at INTEGER,
  private_answers    TEXT,                   -- JSON: what was asked in a group and answered here, the last ones
  private_answers_at INTEGER,
  used_at   INTEGER NOT NULL,                -- the newest of the four, or up to an hour before it
  PRIMARY KEY (room_id, user_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX dialogs_user ON dialogs(user_id);
CREATE INDEX dialogs_age ON dialogs(used_at);

-- What was taken away or replaced in the last minutes, for "undo".
CREATE TABLE removed_items (
  id         INTEGER PRIMARY KEY,
  user_id    INTEGER NOT NULL REFERENCES users(id), -- whose it was
  removed_by INTEGER NOT NULL,               -- the user who took it away
  room_id    INTEGER REFERENCES rooms(id),   -- of a reminder
  kind       TEXT NOT NULL                   -- corrected_state: a superpower's state before a correction
    CHECK (kind IN ('reminder', 'memory', 'birthday', 'corrected_state')),
  item       TEXT NOT NULL,                  -- JSON: the row or the state as it was
  message_id INTEGER,                        -- the message that took it away
  removed_at INTEGER NOT NULL
) STRICT;
CREATE INDEX removed_items_user ON removed_items(user_id);
CREATE INDEX removed_items_by ON removed_items(removed_by, message_id);
CREATE INDEX removed_items_room ON removed_items(room_id) WHERE room_id IS NOT NULL;
CREATE INDEX removed_items_age ON removed_items(removed_at);

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
  linked_at INTEGER NOT NULL,
  PRIMARY KEY (issuer, subject)
) STRICT, WITHOUT ROWID;
CREATE INDEX identities_user ON identities(user_id);

-- Ids that are given to nobody again; nothing else is left of whoever had them.
CREATE TABLE erased_users (
  user_id   TEXT PRIMARY KEY,                -- UUID
  erased_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Who the erased were to identity providers: digests of (issuer, subject), keyed with
-- identity_digest_key of meta. A row stays as long as its id in erased_users.
CREATE TABLE erased_identities (
  identity  BLOB PRIMARY KEY,                -- SHA-256
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

-- Calendars and mailboxes that people connected. An id is never given twice: a fetch that is
-- under way still names the service it was for.
CREATE TABLE connected_services (
  id            INTEGER PRIMARY KEY AUTOINCREMENT,
  service_id    TEXT NOT NULL UNIQUE,          -- UUID
  user_id       INTEGER NOT NULL REFERENCES users(id),
  kind          TEXT NOT NULL CHECK (kind IN ('ics', 'caldav', 'imap')),
  name          TEXT NOT NULL,
  scope         TEXT NOT NULL                  -- calendar: also writes
    CHECK (scope IN ('calendar.read', 'calendar', 'mail.read')),
  host          TEXT NOT NULL,                 -- of the address, all of it that is shown
  credentials   BLOB NOT NULL,                 -- sealed JSON; empty: they are being removed
  state         TEXT NOT NULL DEFAULT 'ok' CHECK (state IN ('ok', 'failing', 'refused')),
  error         TEXT,                          -- a sentence: why the last sync failed; NULL: it did not
  failures      INTEGER NOT NULL DEFAULT 0,    -- syncs that failed in a row
  sync_state    TEXT NOT NULL DEFAULT '{}',    -- JSON: what the next sync goes on from
  connected_at  INTEGER NOT NULL,
  expires_at    INTEGER,                       -- of the credentials; NULL: no end is known
  last_sync_at  INTEGER,                       -- the last sync that succeeded; NULL: none
  next_sync_at  INTEGER,                       -- NULL: refused, so nothing is asked any more
  refusal_told  INTEGER NOT NULL DEFAULT 0,    -- 1: the person was told that the credentials stopped working
  removed_at    INTEGER                        -- disconnected; the row goes after all that was fetched
) STRICT;
CREATE INDEX connected_services_user ON connected_services(user_id);
CREATE INDEX connected_services_due ON connected_services(next_sync_at) WHERE next_sync_at IS NOT NULL;
CREATE INDEX connected_services_refused ON connected_services(id)
  WHERE state = 'refused' AND refusal_told = 0;
CREATE INDEX connected_services_mail ON connected_services(id)
  WHERE kind = 'imap' AND state = 'ok' AND removed_at IS NULL;
CREATE INDEX connected_services_removed ON connected_services(removed_at) WHERE removed_at IS NOT NULL;

-- Links by which a person connects a service in a browser.
CREATE TABLE connect_links (
  token_digest BLOB PRIMARY KEY,               -- SHA-256 of the token
  user_id      INTEGER NOT NULL REFERENCES users(id),
  room_id      INTEGER REFERENCES rooms(id),   -- where it was asked for; NULL: not in a chat
  kind         TEXT NOT NULL CHECK (kind IN ('calendar', 'mail')),
  created_at   INTEGER NOT NULL,
  expires_at   INTEGER NOT NULL,
  used_at      INTEGER                         -- a service was connected by it; NULL: not yet
) STRICT, WITHOUT ROWID;
CREATE INDEX connect_links_expiry ON connect_links(expires_at);
CREATE INDEX connect_links_user ON connect_links(user_id);
CREATE INDEX connect_links_room ON connect_links(room_id);

-- The calendars of a service: one of an ICS address, any number of a CalDAV server.
CREATE TABLE calendars (
  id           INTEGER PRIMARY KEY AUTOINCREMENT,
  calendar_id  TEXT NOT NULL UNIQUE,           -- UUID
  service_id   INTEGER NOT NULL REFERENCES connected_services(id),
  user_id      INTEGER NOT NULL REFERENCES users(id),
  path         TEXT NOT NULL,                  -- the collection on the CalDAV server; '' for ICS
  name         TEXT NOT NULL,
  enabled      INTEGER NOT NULL DEFAULT 1,     -- 0: its events are not fetched, nor used
  writable     INTEGER NOT NULL DEFAULT 0,     -- 1: events can be added, moved and deleted
  sync_state   TEXT NOT NULL DEFAULT '{}',     -- JSON: sync-token, ctag, ETag, digest
  UNIQUE (service_id, path)
) STRICT;
CREATE INDEX calendars_user ON calendars(user_id);

-- Events from 30 days ago to 400 days ahead, one row an instance of a series.
CREATE TABLE calendar_events (
  id            INTEGER PRIMARY KEY AUTOINCREMENT,
  calendar_id   INTEGER NOT NULL REFERENCES calendars(id),
  user_id       INTEGER NOT NULL REFERENCES users(id),
  uid           TEXT NOT NULL,                 -- of the event, the same in every instance
  instance      TEXT NOT NULL,                 -- start by the series: 20261122T083000Z, 20261122T083000
                                               -- (floating), 20261122; '' for an event that comes once
  object        TEXT NOT NULL,                 -- CalDAV: the path of its resource; '' for ICS
  etag          TEXT,                          -- CalDAV: of the resource
  clock         TEXT NOT NULL CHECK (clock IN ('zoned', 'floating', 'all_day')),
  starts_at     INTEGER NOT NULL,              -- zoned: the moment; else the wall's time read as UTC
  ends_at       INTEGER NOT NULL,              -- exclusive, likewise
  status        TEXT NOT NULL CHECK (status IN ('confirmed', 'tentative', 'cancelled')),
  facts         TEXT NOT NULL,                 -- JSON: zone, title, place, link, people, …
  first_seen_at INTEGER NOT NULL,
  changed_at    INTEGER NOT NULL,              -- of time, title, place, link or status; else first_seen_at
  was_starts_at INTEGER,                       -- before the last change of time; NULL: never moved
  UNIQUE (calendar_id, uid, instance)
) STRICT;
CREATE INDEX calendar_events_user ON calendar_events(user_id, starts_at, ends_at);
CREATE INDEX calendar_events_object ON calendar_events(calendar_id, object);
CREATE INDEX calendar_events_start ON calendar_events(starts_at);
CREATE INDEX calendar_events_change ON calendar_events(changed_at);

-- Changes of CalDAV calendars that people asked for and confirmed, until the person was told how
-- they went.
CREATE TABLE calendar_changes (
  id          INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id     INTEGER NOT NULL REFERENCES users(id),
  calendar_id INTEGER NOT NULL REFERENCES calendars(id),
  change      TEXT NOT NULL,                   -- JSON: what is added, moved or deleted
  done        TEXT NOT NULL,                   -- the sentence for when it is done
  attempts    INTEGER NOT NULL DEFAULT 0,      -- begun, each before its request: one may have been done
  due_at      INTEGER NOT NULL,
  created_at  INTEGER NOT NULL,
  outcome     TEXT                             -- the sentence for the person; NULL: not done yet
) STRICT;
CREATE INDEX calendar_changes_user ON calendar_changes(user_id);
CREATE INDEX calendar_changes_calendar ON calendar_changes(calendar_id);
CREATE INDEX calendar_changes_due ON calendar_changes(due_at);

-- What is kept of a mail: an extract and where the mail is.
CREATE TABLE mail_items (
  id            INTEGER PRIMARY KEY AUTOINCREMENT,
  service_id    INTEGER NOT NULL REFERENCES connected_services(id),
  user_id       INTEGER NOT NULL REFERENCES users(id),
  mailbox       TEXT NOT NULL,
  uid_validity  INTEGER NOT NULL,              -- with uid: where the mail is on the server
  uid           INTEGER NOT NULL,
  mail_key      TEXT NOT NULL,                 -- Message-ID and Date: the mail, whatever its uid
  received_at   INTEGER NOT NULL,              -- INTERNALDATE
  extract       TEXT NOT NULL,                 -- JSON: from, subject, text, marks, urgency
  first_seen_at INTEGER NOT NULL,
  UNIQUE (service_id, mail_key)
) STRICT;
CREATE INDEX mail_items_user ON mail_items(user_id, received_at);
CREATE INDEX mail_items_seen ON mail_items(first_seen_at);

-- Bookings, parcels and the like that mails are about.
CREATE TABLE mail_facts (
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  service_id INTEGER NOT NULL REFERENCES connected_services(id),
  user_id    INTEGER NOT NULL REFERENCES users(id),
  mail_id    INTEGER REFERENCES mail_items(id) ON DELETE SET NULL, -- the last mail about it
  kind       TEXT NOT NULL CHECK (kind IN ('flight', 'train', 'bus', 'hotel', 'restaurant', 'event',
               'appointment', 'parcel', 'order', 'free_cancellation', 'trial_end', 'renewal')),
  fact_key   TEXT NOT NULL,                    -- the same for every mail about one thing
  status     TEXT NOT NULL CHECK (status IN ('confirmed', 'pending', 'cancelled')),
  clock      TEXT NOT NULL CHECK (clock IN ('zoned', 'floating', 'all_day')),
  starts_at  INTEGER,                          -- as in calendar_events; NULL: no time is known
  ends_at    INTEGER,
  data       TEXT NOT NULL,                    -- JSON, by kind
  first_seen_at INTEGER NOT NULL,
  changed_at INTEGER NOT NULL,
  UNIQUE (user_id, kind, fact_key)
) STRICT;
CREATE INDEX mail_facts_service ON mail_facts(service_id);
CREATE INDEX mail_facts_mail ON mail_facts(mail_id);
CREATE INDEX mail_facts_start ON mail_facts(starts_at) WHERE starts_at IS NOT NULL;
CREATE INDEX mail_facts_change ON mail_facts(changed_at);

CREATE TABLE miniapp_sessions (
  id            INTEGER PRIMARY KEY,
  session_id    TEXT NOT NULL UNIQUE,        -- UUID
  user_id       INTEGER NOT NULL REFERENCES users(id),
  room_id       INTEGER REFERENCES rooms(id),
  app_id        TEXT NOT NULL,               -- an app's UUID or a superpower's name
  state         TEXT NOT NULL CHECK (state IN ('active', 'ended')),
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
  email      TEXT,                           -- where the confirmation goes; NULL also without a mail server
  customers  TEXT NOT NULL,                  -- JSON array of what the payment provider called them
  started_at INTEGER NOT NULL,
  event_id   INTEGER NOT NULL DEFAULT 0,     -- events of relays up to this one are looked through
  room_id    INTEGER NOT NULL DEFAULT 0,     -- the room at work; those before it are done
  message_id INTEGER,                        -- its chain is clean from its head to this one
  rows_at    INTEGER,                        -- when the last row was removed; NULL: not yet
  memories_at INTEGER,                       -- when the memory service had forgotten them; NULL: not yet
  memory_failed INTEGER NOT NULL DEFAULT 0 CHECK (memory_failed IN (0, 1)) -- 1: it was asked and failed
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
  status       TEXT NOT NULL
    CHECK (status IN ('queued', 'processing', 'ready', 'failed', 'expired')),
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
  kind       TEXT NOT NULL CHECK (kind IN ('add', 'delete', 'delete_all')),
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
  status               TEXT NOT NULL
    CHECK (status IN ('free', 'active', 'trial', 'canceled', 'past_due')),
  status_s             INTEGER NOT NULL,     -- when the provider said so
  details_s            INTEGER,              -- when it said what follows; NULL: not yet
  began_s              INTEGER,
  plan                 TEXT CHECK (plan IN ('monthly', 'annual')), -- NULL: a price that we don't know
  current_period_end   INTEGER,
  cancel_at_period_end INTEGER NOT NULL DEFAULT 0,
  trial_started_at     INTEGER,
  trial_expires_at     INTEGER,
  ended_by_us          INTEGER NOT NULL DEFAULT 0 -- 1: it is to end because the account is
) STRICT;
CREATE INDEX subscriptions_user ON subscriptions(user_id, began_s);
CREATE INDEX subscriptions_customer ON subscriptions(customer_id) WHERE customer_id IS NOT NULL;

-- What the provider is yet to be told; the row goes when it knows.
CREATE TABLE provider_tasks (
  id         INTEGER PRIMARY KEY,
  kind       TEXT NOT NULL
    CHECK (kind IN ('cancel_at_period_end', 'reactivate', 'delete_customer')),
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
  created_at INTEGER NOT NULL,
  PRIMARY KEY (user_id, operation)
) STRICT, WITHOUT ROWID;
CREATE INDEX provider_keys_age ON provider_keys(created_at);

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
  id           INTEGER PRIMARY KEY,
  app_id       INTEGER NOT NULL REFERENCES apps(id),
  room_id      INTEGER NOT NULL REFERENCES rooms(id),
  installed_at INTEGER NOT NULL,
  installed_by INTEGER NOT NULL REFERENCES users(id), -- the app speaks while they take part in the room
  UNIQUE (app_id, room_id)
) STRICT;
CREATE INDEX app_rooms_room ON app_rooms(room_id);
CREATE INDEX app_rooms_installer ON app_rooms(installed_by);

-- An id is never given twice: what is under way still names the webhook it was for.
CREATE TABLE webhooks (
  id              INTEGER PRIMARY KEY AUTOINCREMENT,
  webhook_id      TEXT NOT NULL UNIQUE,      -- UUID, lower case
  app_id          INTEGER NOT NULL REFERENCES apps(id),
  action_id       TEXT NOT NULL,             -- one of the app's actions, unless that was removed
  description     TEXT NOT NULL,
  payload_mapping TEXT NOT NULL,             -- JSON object, paths by field; {}: none
  scheme          TEXT NOT NULL CHECK (scheme IN ('plain', 'standard')),
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
  result_status    TEXT NOT NULL CHECK (result_status IN ('ok', 'duplicate', 'invalid_signature',
    'rate_limited', 'payload_too_large', 'invalid_json', 'action_failed', 'inactive')),
  error_message    TEXT,
  ip_address       TEXT NOT NULL,
  created_at       INTEGER NOT NULL,
  PRIMARY KEY (webhook_id, slot)
) STRICT, WITHOUT ROWID;

-- Calls that are not in the ring yet, in the order in which they came. The rings of many webhooks
-- are as many pages, so calls are moved there together, up to a second later. Of many, some are moved in
-- each transaction; when all are, some are removed here in each.
CREATE TABLE new_webhook_events (
  id               INTEGER PRIMARY KEY,
  webhook_id       INTEGER NOT NULL,         -- the columns of webhook_events
  serial           INTEGER NOT NULL,
  event_id         TEXT NOT NULL,
  signature_valid  INTEGER NOT NULL,
  action_triggered TEXT NOT NULL,
  result_status    TEXT NOT NULL,
  error_message    TEXT,
  ip_address       TEXT NOT NULL,
  created_at       INTEGER NOT NULL
) STRICT;

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
  message_id INTEGER,                        -- the message that changed it last; NULL: it was changed without one
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

-- Access that was ended: what a restored backup must not bring back. Rows go after 90 days.
CREATE TABLE ended_access (
  kind     TEXT NOT NULL CHECK (kind IN ('app', 'webhook', 'installation', 'grant', 'flag',
             'service')),
  target   TEXT NOT NULL,                    -- the app's, webhook's, service's or user's UUID; the flag's key;
                                             -- of an installation: app's UUID, room, the room's created_at
  ended_at INTEGER NOT NULL,                 -- by the system's clock
  PRIMARY KEY (kind, target)
) STRICT, WITHOUT ROWID;
CREATE INDEX ended_access_age ON ended_access(ended_at);

-- Triggers, so that no way of ending access can forget the row above.
CREATE TRIGGER apps_ended AFTER DELETE ON apps BEGIN
  INSERT OR REPLACE INTO ended_access
    VALUES ('app', old.app_id, CAST(unixepoch('subsec') * 1000 AS INTEGER));
END;
CREATE TRIGGER webhooks_ended AFTER DELETE ON webhooks BEGIN
  INSERT OR REPLACE INTO ended_access
    VALUES ('webhook', old.webhook_id, CAST(unixepoch('subsec') * 1000 AS INTEGER));
END;
CREATE TRIGGER installations_ended AFTER DELETE ON app_rooms BEGIN
  INSERT OR REPLACE INTO ended_access
    SELECT 'installation', app_id || ' ' || rooms.id || ' ' || rooms.created_at,
           CAST(unixepoch('subsec') * 1000 AS INTEGER)
    FROM apps, rooms WHERE apps.id = old.app_id AND rooms.id = old.room_id;
END;
CREATE TRIGGER grants_ended AFTER UPDATE OF granted_plan, granted_until ON users
WHEN new.user_id = old.user_id AND old.granted_plan IS NOT NULL
  AND (new.granted_plan IS NULL
    OR coalesce(new.granted_until, 9e18) < coalesce(old.granted_until, 9e18)) BEGIN
  INSERT OR REPLACE INTO ended_access
    VALUES ('grant', old.user_id, CAST(unixepoch('subsec') * 1000 AS INTEGER));
END;
CREATE TRIGGER services_ended AFTER UPDATE OF removed_at ON connected_services
WHEN old.removed_at IS NULL AND new.removed_at IS NOT NULL BEGIN
  INSERT OR REPLACE INTO ended_access
    VALUES ('service', old.service_id, CAST(unixepoch('subsec') * 1000 AS INTEGER));
END;
CREATE TRIGGER flags_ended AFTER DELETE ON flag_overrides BEGIN
  INSERT OR REPLACE INTO ended_access
    VALUES ('flag', old.key, CAST(unixepoch('subsec') * 1000 AS INTEGER));
END;

-- What operators changed, for two years.
CREATE TABLE audit (
  id       INTEGER PRIMARY KEY,
  at       INTEGER NOT NULL,
  operator TEXT NOT NULL,                    -- as they name themselves; phones starred out
  address  TEXT,                             -- the client's; NULL: a command in the database itself
  action   TEXT NOT NULL,                    -- flag.set, grant.remove, …
  subject  TEXT NOT NULL,                    -- a flag's key, an agent's name, a user's id
  before   TEXT,                             -- JSON; NULL: nothing
  after    TEXT                              -- JSON; NULL: nothing
) STRICT;
