-- Command lines that ask to be signed in. Deleted when they get their key, or some time after they expire.
CREATE TABLE device_requests (
  device_code_hash TEXT PRIMARY KEY NOT NULL,
  user_code_hash TEXT NOT NULL UNIQUE,
  client_name TEXT NOT NULL,
  address TEXT NOT NULL,
  created_at TEXT NOT NULL,
  expires_at TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('pending', 'approved', 'denied')),
  -- Set when somebody has decided. The session may end before the command line gets its key.
  organization_id TEXT REFERENCES organizations (id),
  user_id TEXT REFERENCES users (id),
  session_id TEXT
) STRICT, WITHOUT ROWID;

CREATE INDEX device_requests_by_expiry ON device_requests (expires_at);
