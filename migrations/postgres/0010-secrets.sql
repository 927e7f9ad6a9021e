-- Secrets that all servers on this database share, such as the one that signs the ids of responses.
-- The first server that needs one creates it.
CREATE TABLE secrets (
  name text PRIMARY KEY,
  secret text NOT NULL,
  created_at timestamptz NOT NULL
);
