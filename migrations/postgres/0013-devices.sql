-- Command lines that ask to be signed in. Deleted when they get their key, or some time after they expire.
CREATE TABLE device_requests (
  device_code_hash text PRIMARY KEY,
  user_code_hash text NOT NULL UNIQUE,
  client_name text NOT NULL,
  address text NOT NULL,
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  status text NOT NULL CHECK (status IN ('pending', 'approved', 'denied')),
  -- Set when somebody has decided. The session may end before the command line gets its key.
  organization_id uuid REFERENCES organizations (id),
  user_id text REFERENCES users (id),
  session_id uuid
);

CREATE INDEX device_requests_by_expiry ON device_requests (expires_at);
