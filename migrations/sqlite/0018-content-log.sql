-- A JSON object; NULL for a workspace that never had a content log.
ALTER TABLE workspaces ADD COLUMN content_log TEXT;

CREATE INDEX workspaces_with_content_log ON workspaces (id) WHERE content_log IS NOT NULL;

-- The requests and responses of calls, where the workspace logs them. Like calls, they have no foreign
-- keys, and their ids start with the time, so that a workspace's oldest ones are its first rows.
CREATE TABLE call_contents (
  workspace_id TEXT NOT NULL,
  call_id TEXT NOT NULL,
  content TEXT NOT NULL,
  PRIMARY KEY (workspace_id, call_id)
) STRICT;

-- What people and programs report about a call, each once.
CREATE TABLE call_feedback (
  call_id TEXT NOT NULL,
  author_id TEXT NOT NULL,
  category TEXT NOT NULL,
  comment TEXT,
  created_at TEXT NOT NULL,
  PRIMARY KEY (call_id, author_id)
) STRICT, WITHOUT ROWID;
