-- A JSON object; NULL for a workspace that never had a content log.
ALTER TABLE workspaces ADD COLUMN content_log text;

CREATE INDEX workspaces_with_content_log ON workspaces (id) WHERE content_log IS NOT NULL;

-- The requests and responses of calls, where the workspace logs them. Like calls, they have no foreign
-- keys, and their ids start with the time, so that a workspace's oldest ones are its first rows.
CREATE TABLE call_contents (
  workspace_id uuid NOT NULL,
  call_id uuid NOT NULL,
  content text NOT NULL,
  PRIMARY KEY (workspace_id, call_id)
);

-- What people and programs report about a call, each once.
CREATE TABLE call_feedback (
  call_id uuid NOT NULL,
  author_id text NOT NULL,
  category text NOT NULL,
  comment text,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (call_id, author_id)
);
