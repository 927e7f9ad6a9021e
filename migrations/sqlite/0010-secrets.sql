-- Secrets that all servers on this database share, such as the one that signs the ids of responses.
-- The first server that needs one creates it.
CREATE TABLE secrets (
  name TEXT PRIMARY KEY,
  secret TEXT NOT NULL,
  created_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;
