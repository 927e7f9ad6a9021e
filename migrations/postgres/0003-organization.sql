-- In the order in which a running server takes them, so that neither waits for the other forever.
LOCK TABLE api_keys, organizations, workspaces, audit_events IN ACCESS EXCLUSIVE MODE;

-- Kept by triggers, as the other counts are.
ALTER TABLE organizations ADD COLUMN workspace_count integer NOT NULL DEFAULT 0;

ALTER TABLE workspaces
  ADD COLUMN description text,
  -- Nobody, for the one that came with the organization.
  ADD COLUMN created_by text REFERENCES users (id),
  ADD COLUMN updated_at timestamptz,
  -- Presets are never lost, so a workspace stays when it is deleted, under a slug that cannot be asked for.
  ADD COLUMN deleted_at timestamptz,
  ADD COLUMN member_count integer NOT NULL DEFAULT 0;

CREATE INDEX workspaces_by_creation ON workspaces (organization_id, created_at, id) WHERE deleted_at IS NULL;

CREATE FUNCTION count_workspaces() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE organizations SET workspace_count = workspace_count + CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END
  WHERE id = NEW.organization_id;
  RETURN NULL;
END
$$;

CREATE TRIGGER workspaces_count_insert AFTER INSERT ON workspaces
  FOR EACH ROW EXECUTE FUNCTION count_workspaces();

CREATE TRIGGER workspaces_count_delete AFTER UPDATE OF deleted_at ON workspaces
  FOR EACH ROW WHEN (OLD.deleted_at IS NULL AND NEW.deleted_at IS NOT NULL) EXECUTE FUNCTION count_workspaces();

UPDATE organizations o SET workspace_count = (SELECT count(*) FROM workspaces w WHERE w.organization_id = o.id);

-- Of all but the default workspace, to which every member of the organization belongs.
CREATE TABLE workspace_members (
  workspace_id uuid NOT NULL REFERENCES workspaces (id),
  user_id text NOT NULL REFERENCES users (id),
  created_at timestamptz NOT NULL,
  PRIMARY KEY (workspace_id, user_id)
);

CREATE INDEX workspace_members_by_joining ON workspace_members (workspace_id, created_at, user_id);
CREATE INDEX workspace_members_by_user ON workspace_members (user_id, workspace_id);

CREATE FUNCTION count_workspace_members() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE workspaces w SET member_count = w.member_count + change.difference
  FROM (
    SELECT workspace_id, CASE TG_OP WHEN 'INSERT' THEN count(*) ELSE -count(*) END AS difference
    FROM changed GROUP BY workspace_id
  ) change
  WHERE w.id = change.workspace_id;
  RETURN NULL;
END
$$;

CREATE TRIGGER workspace_members_count_insert AFTER INSERT ON workspace_members
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_workspace_members();

CREATE TRIGGER workspace_members_count_delete AFTER DELETE ON workspace_members
  REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_workspace_members();

ALTER TABLE api_keys
  ADD COLUMN updated_at timestamptz,
  ADD COLUMN last_used_at timestamptz;

CREATE INDEX api_keys_by_workspace ON api_keys (organization_id, workspace_id, created_at, id);
CREATE INDEX api_keys_by_owner ON api_keys (owner_id, workspace_id);
DROP INDEX api_keys_by_creation;

-- Who leaves from now on leaves with keys that are disabled; those who left before do so, too.
UPDATE api_keys SET disabled = true WHERE organization_id IS NOT NULL AND NOT EXISTS (
  SELECT 1 FROM memberships m WHERE m.organization_id = api_keys.organization_id AND m.user_id = api_keys.owner_id
);

-- What a key had before it was given a new secret, and lets in until it expires.
CREATE TABLE retired_secrets (
  secret_hash text PRIMARY KEY,
  key_id uuid NOT NULL REFERENCES api_keys (id) ON DELETE CASCADE,
  expires_at timestamptz NOT NULL
);

CREATE INDEX retired_secrets_by_key ON retired_secrets (key_id, expires_at);

-- What an event is about, where that is no preset; its name as it was then.
ALTER TABLE audit_events
  ADD COLUMN subject_id text,
  ADD COLUMN subject_name text;
