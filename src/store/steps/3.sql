-- Version 2 to 3: registration tokens of relays, photos, shares of an outbox, refusals, who
-- installed an app.

-- Registration tokens that were used; a row stays until its token has long expired.
CREATE TABLE used_registrations (
  nonce      TEXT PRIMARY KEY,               -- hex, as the token names it
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX used_registrations_expiry ON used_registrations(expires_at);

-- Shares of an outbox, refusals, and what was given up.
ALTER TABLE agents ADD COLUMN unfinished_of_apps INTEGER NOT NULL DEFAULT 0;
ALTER TABLE commands ADD COLUMN backing_off INTEGER NOT NULL DEFAULT 0;
ALTER TABLE commands ADD COLUMN app_creator_id INTEGER;
CREATE INDEX commands_given_up ON commands(finished_at) WHERE state IN ('failed', 'expired');
CREATE INDEX commands_app_creator ON commands(app_creator_id) WHERE app_creator_id IS NOT NULL;

-- Unfinished commands that a creator's apps sent; without any there is no row.
CREATE TABLE app_commands (
  creator_id INTEGER NOT NULL REFERENCES users(id),
  agent_id   INTEGER NOT NULL REFERENCES agents(id),
  unfinished INTEGER NOT NULL,
  PRIMARY KEY (creator_id, agent_id)
) STRICT, WITHOUT ROWID;

-- Who installed an app was not known: its creator stands for them.
CREATE TABLE app_rooms_3 (
  id           INTEGER PRIMARY KEY,
  app_id       INTEGER NOT NULL REFERENCES apps(id),
  room_id      INTEGER NOT NULL REFERENCES rooms(id),
  installed_at INTEGER NOT NULL,
  installed_by INTEGER NOT NULL REFERENCES users(id), -- the app speaks while they take part in the room
  UNIQUE (app_id, room_id)
) STRICT;
INSERT INTO app_rooms_3 (app_id, room_id, installed_at, installed_by)
  SELECT app_id, room_id, installed_at, (SELECT creator_id FROM apps WHERE apps.id = app_id)
  FROM app_rooms;
DROP TABLE app_rooms;
ALTER TABLE app_rooms_3 RENAME TO app_rooms;
CREATE INDEX app_rooms_room ON app_rooms(room_id);
CREATE INDEX app_rooms_installer ON app_rooms(installed_by);

-- Who the erased were to identity providers: digests of (issuer, subject), keyed with
-- identity_digest_key of meta. A row stays as long as its id in erased_users.
CREATE TABLE erased_identities (
  identity  BLOB PRIMARY KEY,                -- SHA-256
  erased_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Access that was ended: what a restored backup must not bring back. Rows go after 90 days.
CREATE TABLE ended_access (
  kind     TEXT NOT NULL,                    -- app, webhook, installation, grant, flag
  target   TEXT NOT NULL,                    -- the app's, webhook's or user's UUID; the flag's key;
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
CREATE TRIGGER flags_ended AFTER DELETE ON flag_overrides BEGIN
  INSERT OR REPLACE INTO ended_access
    VALUES ('flag', old.key, CAST(unixepoch('subsec') * 1000 AS INTEGER));
END;

-- Photos that relays uploaded. The file is beside the database, named after the photo.
CREATE TABLE photos (
  id           INTEGER PRIMARY KEY,
  photo_id     TEXT NOT NULL UNIQUE,          -- UUID
  user_id      INTEGER NOT NULL REFERENCES users(id),  -- who sent it
  agent_id     INTEGER NOT NULL REFERENCES agents(id), -- who brought it
  message_id   INTEGER NOT NULL,              -- the message that it came with
  format       TEXT NOT NULL,                 -- jpeg, png, webp, heic
  bytes        INTEGER NOT NULL,              -- of the file, without metadata
  is_processed INTEGER NOT NULL,              -- 1: a reply follows as a command
  created_at   INTEGER NOT NULL,
  removed_at   INTEGER                        -- when the file went; NULL: it is there
) STRICT;
CREATE INDEX photos_user ON photos(user_id, id);
CREATE INDEX photos_message ON photos(message_id);
CREATE INDEX photos_kept ON photos(created_at) WHERE removed_at IS NULL;
CREATE INDEX photos_removed ON photos(removed_at) WHERE removed_at IS NOT NULL;

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
