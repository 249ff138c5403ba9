-- Version 2 to 3: registration tokens of relays.

-- Registration tokens that were used; a row stays until its token has long expired.
CREATE TABLE used_registrations (
  nonce      TEXT PRIMARY KEY,               -- hex, as the token names it
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX used_registrations_expiry ON used_registrations(expires_at);
