CREATE TABLE organizations (
  id uuid PRIMARY KEY,
  name text NOT NULL,
  default_workspace_id uuid NOT NULL,
  -- Kept by triggers, so that a count costs the same for ten members and for a million.
  member_count integer NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL
);

CREATE TABLE workspaces (
  id uuid PRIMARY KEY,
  organization_id uuid NOT NULL REFERENCES organizations (id),
  slug text NOT NULL,
  name text NOT NULL,
  created_at timestamptz NOT NULL,
  UNIQUE (organization_id, slug),
  UNIQUE (organization_id, id)
);

ALTER TABLE organizations ADD CONSTRAINT organizations_default_workspace
  FOREIGN KEY (default_workspace_id) REFERENCES workspaces (id) DEFERRABLE INITIALLY DEFERRED;

CREATE TABLE users (
  id text PRIMARY KEY,
  email text NOT NULL,
  email_key text NOT NULL UNIQUE,
  first_name text NOT NULL,
  last_name text NOT NULL,
  created_at timestamptz NOT NULL
);

CREATE TABLE memberships (
  organization_id uuid NOT NULL REFERENCES organizations (id),
  user_id text NOT NULL REFERENCES users (id),
  role text NOT NULL CHECK (role IN ('org:admin', 'org:member')),
  joined_at timestamptz NOT NULL,
  PRIMARY KEY (organization_id, user_id)
);

CREATE INDEX memberships_by_joining ON memberships (organization_id, joined_at, user_id) INCLUDE (role);
CREATE INDEX memberships_admins ON memberships (organization_id, joined_at) WHERE role = 'org:admin';

CREATE FUNCTION count_members() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- One update per statement, however many members it added or removed.
  UPDATE organizations o SET member_count = o.member_count + change.difference
  FROM (
    SELECT organization_id, CASE TG_OP WHEN 'INSERT' THEN count(*) ELSE -count(*) END AS difference
    FROM changed GROUP BY organization_id
  ) change
  WHERE o.id = change.organization_id;
  RETURN NULL;
END
$$;

CREATE TRIGGER memberships_count_insert AFTER INSERT ON memberships
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_members();

CREATE TRIGGER memberships_count_delete AFTER DELETE ON memberships
  REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_members();

CREATE TABLE api_keys (
  id uuid PRIMARY KEY,
  secret_hash text NOT NULL UNIQUE,
  label text NOT NULL,
  name text NOT NULL,
  kind text NOT NULL CHECK (kind IN ('api', 'management')),
  read_only boolean NOT NULL,
  owner_id text NOT NULL REFERENCES users (id),
  organization_id uuid REFERENCES organizations (id),
  workspace_id uuid,
  disabled boolean NOT NULL,
  expires_at timestamptz,
  created_at timestamptz NOT NULL,
  FOREIGN KEY (organization_id, workspace_id) REFERENCES workspaces (organization_id, id),
  CHECK (kind = 'management' OR (organization_id IS NOT NULL AND workspace_id IS NOT NULL AND NOT read_only)),
  CHECK (kind = 'api' OR workspace_id IS NULL)
);

CREATE INDEX api_keys_by_creation ON api_keys (created_at, id);
CREATE INDEX api_keys_by_label ON api_keys (label);

CREATE TABLE presets (
  id uuid PRIMARY KEY,
  workspace_id uuid NOT NULL REFERENCES workspaces (id),
  slug text NOT NULL COLLATE "C",
  name text NOT NULL,
  description text,
  status text NOT NULL CHECK (status IN ('active', 'disabled', 'archived')),
  status_updated_at timestamptz,
  -- The number given out last. After a rollback it is ahead of the designated one.
  latest_version integer NOT NULL,
  designated_version integer NOT NULL,
  creator_user_id text NOT NULL REFERENCES users (id),
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  UNIQUE (workspace_id, slug)
);

CREATE TABLE preset_versions (
  id uuid PRIMARY KEY,
  preset_id uuid NOT NULL REFERENCES presets (id),
  version integer NOT NULL CHECK (version >= 1),
  dialect text NOT NULL CHECK (dialect IN ('chat-completions', 'messages', 'responses')),
  -- json and not jsonb: the text must come back as it went in.
  config json NOT NULL,
  system_prompt text,
  creator_id text NOT NULL REFERENCES users (id),
  created_at timestamptz NOT NULL,
  UNIQUE (preset_id, version)
);

-- A preset can only designate a version of its own.
ALTER TABLE presets ADD CONSTRAINT presets_designated_version
  FOREIGN KEY (id, designated_version) REFERENCES preset_versions (preset_id, version) DEFERRABLE INITIALLY DEFERRED;

CREATE FUNCTION refuse_version_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'a preset version is never changed or deleted';
END
$$;

CREATE TRIGGER preset_versions_immutable BEFORE UPDATE OR DELETE OR TRUNCATE ON preset_versions
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_version_change();
