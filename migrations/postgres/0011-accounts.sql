-- A deactivated member cannot sign in, and their keys do not work.
ALTER TABLE memberships ADD COLUMN deactivated_at timestamptz;

-- The last use of a session or key, to the minute; null for someone who has never been active.
ALTER TABLE memberships ADD COLUMN last_active_at timestamptz;
UPDATE memberships SET last_active_at = used.at
FROM (
  SELECT organization_id, owner_id, max(last_used_at) AS at FROM api_keys
  WHERE last_used_at IS NOT NULL GROUP BY organization_id, owner_id
) AS used
WHERE memberships.organization_id = used.organization_id AND memberships.user_id = used.owner_id;

-- Sign-in knows the person, not the organization. A hash, because it must not be used for ranges of
-- ids within an organization.
CREATE INDEX memberships_by_user ON memberships USING hash (user_id);

-- Roles in workspaces: in the default workspace, to which every member belongs, and in the others.
-- Before roles, members of a workspace could change everything in it, so they become admins, also
-- those that an older server still adds.
ALTER TABLE memberships ADD COLUMN workspace_role text NOT NULL DEFAULT 'admin'
  CHECK (workspace_role IN ('viewer', 'editor', 'admin'));
ALTER TABLE workspace_members ADD COLUMN role text NOT NULL DEFAULT 'admin'
  CHECK (role IN ('viewer', 'editor', 'admin'));

ALTER TABLE api_keys ADD COLUMN scope text NOT NULL DEFAULT 'write' CHECK (scope IN ('call', 'read', 'write'));
-- A JSON array of the names of presets that the key is limited to; null for all of its workspace.
ALTER TABLE api_keys ADD COLUMN presets text;

-- In the format of the PHC: algorithm, parameters, salt and hash.
CREATE TABLE passwords (
  user_id text PRIMARY KEY REFERENCES users (id),
  hash text NOT NULL,
  changed_at timestamptz NOT NULL
);

-- Accounts at providers, by issuer and subject. Their email addresses can change and are not stored.
CREATE TABLE identities (
  issuer text NOT NULL,
  subject text NOT NULL,
  user_id text NOT NULL REFERENCES users (id),
  -- The id of the provider in the settings.
  provider text NOT NULL,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (issuer, subject)
);

CREATE INDEX identities_by_user ON identities (user_id, provider);

CREATE TABLE sessions (
  id uuid PRIMARY KEY,
  token_hash text NOT NULL UNIQUE,
  user_id text NOT NULL REFERENCES users (id),
  organization_id uuid NOT NULL REFERENCES organizations (id),
  -- 'password', 'link' or the id of a provider.
  method text NOT NULL,
  address text NOT NULL,
  user_agent text NOT NULL,
  created_at timestamptz NOT NULL,
  last_used_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  -- Of the provider, which wants it back when the person signs out.
  id_token text
);

CREATE INDEX sessions_by_user ON sessions (user_id, organization_id, last_used_at);
CREATE INDEX sessions_by_expiry ON sessions (expires_at);

-- One-time links, deleted when they are used.
CREATE TABLE sign_in_links (
  token_hash text PRIMARY KEY,
  user_id text NOT NULL REFERENCES users (id),
  organization_id uuid NOT NULL REFERENCES organizations (id),
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL
);

CREATE INDEX sign_in_links_by_user ON sign_in_links (user_id);

-- Recent failures, to limit guessing by account and by address on all servers together.
CREATE TABLE failed_sign_ins (
  email_key text NOT NULL,
  address text NOT NULL,
  failed_at timestamptz NOT NULL
);

CREATE INDEX failed_sign_ins_by_account ON failed_sign_ins (email_key, failed_at);
CREATE INDEX failed_sign_ins_by_address ON failed_sign_ins (address, failed_at);
CREATE INDEX failed_sign_ins_by_time ON failed_sign_ins (failed_at);

-- Undoes a create whose key has lost the rights that it was checked with, under the conditions of
-- `keyWithRights` in create-version.ts. Volatile: it sees everything that is committed, even if the
-- statement that calls it has waited for a lock.
CREATE FUNCTION key_keeps_rights(hash text, workspace uuid, at timestamptz, rights text) RETURNS boolean
LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  PERFORM 1 FROM api_keys k
  JOIN organizations o ON o.id = k.organization_id
  JOIN memberships m ON m.organization_id = k.organization_id AND m.user_id = k.owner_id
  LEFT JOIN workspace_members wm ON wm.workspace_id = k.workspace_id AND wm.user_id = k.owner_id
  WHERE k.secret_hash = hash AND k.workspace_id = workspace AND NOT k.disabled
    AND (k.expires_at IS NULL OR k.expires_at > at) AND m.deactivated_at IS NULL
    AND rights = k.scope || ' ' || m.role || ' ' || CASE
      WHEN m.role = 'org:admin' THEN 'admin'
      WHEN k.workspace_id = o.default_workspace_id THEN m.workspace_role
      ELSE wm.role
    END;
  -- The create is sent again, and then finds no key.
  IF NOT FOUND THEN RAISE serialization_failure USING MESSAGE = 'a key has lost its rights'; END IF;
  RETURN true;
END
$$;
