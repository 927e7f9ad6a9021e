-- Members whom an identity provider manages through SCIM. A member who leaves is forgotten here.
CREATE TABLE scim_users (
  organization_id TEXT NOT NULL,
  user_id TEXT NOT NULL,
  user_name TEXT NOT NULL,
  user_name_key TEXT NOT NULL,
  external_id TEXT,
  -- A JSON object of what presetd only stores for the provider.
  attributes TEXT NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  PRIMARY KEY (organization_id, user_id),
  FOREIGN KEY (organization_id, user_id) REFERENCES memberships (organization_id, user_id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX scim_users_by_name ON scim_users (organization_id, user_name_key);
CREATE UNIQUE INDEX scim_users_by_external_id ON scim_users (organization_id, external_id)
  WHERE external_id IS NOT NULL;
CREATE INDEX scim_users_by_creation ON scim_users (organization_id, created_at, user_id);

-- All addresses of the users, by which providers look for them. People can share one.
CREATE TABLE scim_emails (
  organization_id TEXT NOT NULL,
  email_key TEXT NOT NULL,
  user_id TEXT NOT NULL,
  PRIMARY KEY (organization_id, email_key, user_id),
  FOREIGN KEY (organization_id, user_id) REFERENCES scim_users (organization_id, user_id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE INDEX scim_emails_by_user ON scim_emails (organization_id, user_id);

CREATE TABLE scim_groups (
  id TEXT PRIMARY KEY NOT NULL,
  organization_id TEXT NOT NULL REFERENCES organizations (id),
  display_name TEXT NOT NULL,
  display_name_key TEXT NOT NULL,
  external_id TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX scim_groups_by_name ON scim_groups (organization_id, display_name_key);
CREATE UNIQUE INDEX scim_groups_by_external_id ON scim_groups (organization_id, external_id)
  WHERE external_id IS NOT NULL;
CREATE INDEX scim_groups_by_creation ON scim_groups (organization_id, created_at, id);

CREATE TABLE scim_group_members (
  group_id TEXT NOT NULL REFERENCES scim_groups (id) ON DELETE CASCADE,
  user_id TEXT NOT NULL,
  organization_id TEXT NOT NULL,
  PRIMARY KEY (group_id, user_id),
  FOREIGN KEY (organization_id, user_id) REFERENCES scim_users (organization_id, user_id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE INDEX scim_group_members_by_user ON scim_group_members (organization_id, user_id, group_id);
