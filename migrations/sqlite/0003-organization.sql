-- Kept by triggers, as the other counts are.
ALTER TABLE organizations ADD COLUMN workspace_count INTEGER NOT NULL DEFAULT 0;

ALTER TABLE workspaces ADD COLUMN description TEXT;
-- Nobody, for the one that came with the organization.
ALTER TABLE workspaces ADD COLUMN created_by TEXT REFERENCES users (id);
ALTER TABLE workspaces ADD COLUMN updated_at TEXT;
-- Presets are never lost, so a workspace stays when it is deleted, under a slug that cannot be asked for.
ALTER TABLE workspaces ADD COLUMN deleted_at TEXT;
ALTER TABLE workspaces ADD COLUMN member_count INTEGER NOT NULL DEFAULT 0;

CREATE INDEX workspaces_by_creation ON workspaces (organization_id, created_at, id) WHERE deleted_at IS NULL;

CREATE TRIGGER workspaces_count_insert AFTER INSERT ON workspaces BEGIN
  UPDATE organizations SET workspace_count = workspace_count + 1 WHERE id = NEW.organization_id;
END;

CREATE TRIGGER workspaces_count_delete AFTER UPDATE OF deleted_at ON workspaces
WHEN OLD.deleted_at IS NULL AND NEW.deleted_at IS NOT NULL BEGIN
  UPDATE organizations SET workspace_count = workspace_count - 1 WHERE id = NEW.organization_id;
END;

UPDATE organizations SET workspace_count = (SELECT count(*) FROM workspaces w WHERE w.organization_id = organizations.id);

-- Of all but the default workspace, to which every member of the organization belongs.
CREATE TABLE workspace_members (
  workspace_id TEXT NOT NULL REFERENCES workspaces (id),
  user_id TEXT NOT NULL REFERENCES users (id),
  created_at TEXT NOT NULL,
  PRIMARY KEY (workspace_id, user_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX workspace_members_by_joining ON workspace_members (workspace_id, created_at, user_id);
CREATE INDEX workspace_members_by_user ON workspace_members (user_id, workspace_id);

CREATE TRIGGER workspace_members_count_insert AFTER INSERT ON workspace_members BEGIN
  UPDATE workspaces SET member_count = member_count + 1 WHERE id = NEW.workspace_id;
END;

CREATE TRIGGER workspace_members_count_delete AFTER DELETE ON workspace_members BEGIN
  UPDATE workspaces SET member_count = member_count - 1 WHERE id = OLD.workspace_id;
END;

ALTER TABLE api_keys ADD COLUMN updated_at TEXT;
ALTER TABLE api_keys ADD COLUMN last_used_at TEXT;

CREATE INDEX api_keys_by_workspace ON api_keys (organization_id, workspace_id, created_at, id);
CREATE INDEX api_keys_by_owner ON api_keys (owner_id, workspace_id);
DROP INDEX api_keys_by_creation;

-- Who leaves from now on leaves with keys that are disabled; those who left before do so, too.
UPDATE api_keys SET disabled = 1 WHERE organization_id IS NOT NULL AND NOT EXISTS (
  SELECT 1 FROM memberships m WHERE m.organization_id = api_keys.organization_id AND m.user_id = api_keys.owner_id
);

-- What a key had before it was given a new secret, and lets in until it expires.
CREATE TABLE retired_secrets (
  secret_hash TEXT PRIMARY KEY NOT NULL,
  key_id TEXT NOT NULL REFERENCES api_keys (id) ON DELETE CASCADE,
  expires_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX retired_secrets_by_key ON retired_secrets (key_id, expires_at);

-- What an event is about, where that is no preset; its name as it was then.
ALTER TABLE audit_events ADD COLUMN subject_id TEXT;
ALTER TABLE audit_events ADD COLUMN subject_name TEXT;
