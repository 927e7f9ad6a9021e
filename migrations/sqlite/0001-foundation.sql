CREATE TABLE organizations (
  id TEXT PRIMARY KEY NOT NULL,
  name TEXT NOT NULL,
  default_workspace_id TEXT NOT NULL REFERENCES workspaces (id) DEFERRABLE INITIALLY DEFERRED,
  -- Kept by triggers, so that a count costs the same for ten members and for a million.
  member_count INTEGER NOT NULL DEFAULT 0,
  created_at TEXT NOT NULL
) STRICT;

CREATE TABLE workspaces (
  id TEXT PRIMARY KEY NOT NULL,
  organization_id TEXT NOT NULL REFERENCES organizations (id) DEFERRABLE INITIALLY DEFERRED,
  slug TEXT NOT NULL,
  name TEXT NOT NULL,
  created_at TEXT NOT NULL,
  UNIQUE (organization_id, slug),
  UNIQUE (organization_id, id)
) STRICT;

CREATE TABLE users (
  id TEXT PRIMARY KEY NOT NULL,
  email TEXT NOT NULL,
  email_key TEXT NOT NULL UNIQUE,
  first_name TEXT NOT NULL,
  last_name TEXT NOT NULL,
  created_at TEXT NOT NULL
) STRICT;

CREATE TABLE memberships (
  organization_id TEXT NOT NULL REFERENCES organizations (id),
  user_id TEXT NOT NULL REFERENCES users (id),
  role TEXT NOT NULL CHECK (role IN ('org:admin', 'org:member')),
  joined_at TEXT NOT NULL,
  PRIMARY KEY (organization_id, user_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX memberships_by_joining ON memberships (organization_id, joined_at, user_id, role);
CREATE INDEX memberships_admins ON memberships (organization_id, joined_at) WHERE role = 'org:admin';

CREATE TRIGGER memberships_count_insert AFTER INSERT ON memberships BEGIN
  UPDATE organizations SET member_count = member_count + 1 WHERE id = NEW.organization_id;
END;

CREATE TRIGGER memberships_count_delete AFTER DELETE ON memberships BEGIN
  UPDATE organizations SET member_count = member_count - 1 WHERE id = OLD.organization_id;
END;

CREATE TABLE api_keys (
  id TEXT PRIMARY KEY NOT NULL,
  secret_hash TEXT NOT NULL UNIQUE,
  label TEXT NOT NULL,
  name TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('api', 'management')),
  read_only INTEGER NOT NULL CHECK (read_only IN (0, 1)),
  owner_id TEXT NOT NULL REFERENCES users (id),
  organization_id TEXT REFERENCES organizations (id),
  workspace_id TEXT,
  disabled INTEGER NOT NULL CHECK (disabled IN (0, 1)),
  expires_at TEXT,
  created_at TEXT NOT NULL,
  FOREIGN KEY (organization_id, workspace_id) REFERENCES workspaces (organization_id, id),
  CHECK (kind = 'management' OR (organization_id IS NOT NULL AND workspace_id IS NOT NULL AND read_only = 0)),
  CHECK (kind = 'api' OR workspace_id IS NULL)
) STRICT;

CREATE INDEX api_keys_by_creation ON api_keys (created_at, id);
CREATE INDEX api_keys_by_label ON api_keys (label);

CREATE TABLE presets (
  id TEXT PRIMARY KEY NOT NULL,
  workspace_id TEXT NOT NULL REFERENCES workspaces (id),
  slug TEXT NOT NULL,
  name TEXT NOT NULL,
  description TEXT,
  status TEXT NOT NULL CHECK (status IN ('active', 'disabled', 'archived')),
  status_updated_at TEXT,
  -- The number given out last. After a rollback it is ahead of the designated one.
  latest_version INTEGER NOT NULL,
  designated_version INTEGER NOT NULL,
  creator_user_id TEXT NOT NULL REFERENCES users (id),
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  UNIQUE (workspace_id, slug),
  -- A preset can only designate a version of its own.
  FOREIGN KEY (id, designated_version) REFERENCES preset_versions (preset_id, version) DEFERRABLE INITIALLY DEFERRED
) STRICT;

CREATE TABLE preset_versions (
  id TEXT PRIMARY KEY NOT NULL,
  preset_id TEXT NOT NULL REFERENCES presets (id),
  version INTEGER NOT NULL CHECK (version >= 1),
  dialect TEXT NOT NULL CHECK (dialect IN ('chat-completions', 'messages', 'responses')),
  config TEXT NOT NULL,
  system_prompt TEXT,
  creator_id TEXT NOT NULL REFERENCES users (id),
  created_at TEXT NOT NULL,
  UNIQUE (preset_id, version)
) STRICT;

CREATE TRIGGER preset_versions_immutable BEFORE UPDATE ON preset_versions BEGIN
  SELECT RAISE(ABORT, 'a preset version is never changed');
END;

CREATE TRIGGER preset_versions_permanent BEFORE DELETE ON preset_versions BEGIN
  SELECT RAISE(ABORT, 'a preset version is never deleted');
END;
