--! breaking
-- An older server would add versions without their events.

-- How often the preset was changed: the number of its last event, and what its ETag is made of.
ALTER TABLE presets ADD COLUMN revision integer NOT NULL DEFAULT 0;

-- What a create replaced as the designated version; only a column can carry the old value to the event it writes.
ALTER TABLE presets ADD COLUMN designated_before integer;

-- Newest first within one status; a list of several statuses merges them.
CREATE INDEX presets_by_update ON presets (workspace_id, status, updated_at DESC, id DESC);

CREATE TABLE preset_labels (
  preset_id uuid NOT NULL REFERENCES presets (id),
  label text NOT NULL COLLATE "C",
  version integer NOT NULL,
  updated_at timestamptz NOT NULL,
  PRIMARY KEY (preset_id, label),
  -- A label can only point to a version of its own preset.
  FOREIGN KEY (preset_id, version) REFERENCES preset_versions (preset_id, version)
);

-- The words of slug, name and description, as core/words.ts finds them.
CREATE TABLE preset_words (
  preset_id uuid NOT NULL REFERENCES presets (id),
  word text NOT NULL COLLATE "C",
  workspace_id uuid NOT NULL,
  PRIMARY KEY (preset_id, word)
);

CREATE INDEX preset_words_by_word ON preset_words (workspace_id, word, preset_id);

-- What happened, kept after what it happened to; hence few references.
CREATE TABLE audit_events (
  id uuid NOT NULL,
  organization_id uuid NOT NULL,
  workspace_id uuid,
  preset_id uuid REFERENCES presets (id),
  -- Of the events of one preset, 1 to its revision.
  number integer,
  kind text NOT NULL,
  actor_id text NOT NULL,
  key_label text,
  before json,
  after json,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (organization_id, created_at, id)
);

CREATE UNIQUE INDEX audit_events_by_preset ON audit_events (preset_id, number) WHERE preset_id IS NOT NULL;

CREATE FUNCTION refuse_event_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'an event is never changed or deleted';
END
$$;

CREATE TRIGGER audit_events_immutable BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_events
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_event_change();

CREATE TABLE idempotency_keys (
  workspace_id uuid NOT NULL REFERENCES workspaces (id),
  key text NOT NULL COLLATE "C",
  request_hash text NOT NULL,
  -- The preset as it was answered, without the version, which never changes and need not be kept twice. Empty only
  -- until the end of the transaction that claims the key.
  answer json,
  preset_id uuid,
  version integer,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (workspace_id, key)
);

CREATE INDEX idempotency_keys_by_age ON idempotency_keys (created_at);

-- Kept by triggers, so that a count costs the same for ten presets and for a million.
CREATE TABLE preset_counts (
  workspace_id uuid NOT NULL,
  status text NOT NULL,
  presets integer NOT NULL,
  PRIMARY KEY (workspace_id, status)
);

CREATE FUNCTION count_new_presets() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- One update per workspace, however many presets the statement made; in order, so that two cannot deadlock.
  INSERT INTO preset_counts AS c
  SELECT workspace_id, status, count(*) FROM made GROUP BY workspace_id, status ORDER BY workspace_id, status
  ON CONFLICT (workspace_id, status) DO UPDATE SET presets = c.presets + excluded.presets;
  RETURN NULL;
END
$$;

CREATE TRIGGER presets_count_insert AFTER INSERT ON presets
  REFERENCING NEW TABLE AS made FOR EACH STATEMENT EXECUTE FUNCTION count_new_presets();

CREATE FUNCTION count_changed_preset() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO preset_counts AS c
  SELECT OLD.workspace_id, change.status, change.difference
  FROM (VALUES (OLD.status, -1), (NEW.status, 1)) AS change (status, difference) ORDER BY change.status
  ON CONFLICT (workspace_id, status) DO UPDATE SET presets = c.presets + excluded.presets;
  RETURN NULL;
END
$$;

CREATE TRIGGER presets_count_update AFTER UPDATE OF status ON presets
  FOR EACH ROW WHEN (OLD.status <> NEW.status) EXECUTE FUNCTION count_changed_preset();

CREATE FUNCTION count_deleted_preset() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE preset_counts SET presets = presets - 1 WHERE workspace_id = OLD.workspace_id AND status = OLD.status;
  RETURN NULL;
END
$$;

CREATE TRIGGER presets_count_delete AFTER DELETE ON presets
  FOR EACH ROW EXECUTE FUNCTION count_deleted_preset();

-- What was there before: every version is an event, and names are still slugs.
INSERT INTO preset_counts SELECT workspace_id, status, count(*) FROM presets GROUP BY workspace_id, status;

INSERT INTO preset_words
SELECT DISTINCT p.id, left(word, 64), p.workspace_id
FROM presets p, regexp_split_to_table(lower(p.slug), '[^a-z0-9]+') word
WHERE word <> '';

INSERT INTO audit_events
SELECT v.id, w.organization_id, w.id, p.id, v.version,
  CASE v.version WHEN 1 THEN 'preset.created' ELSE 'preset.version_added' END, v.creator_id, NULL,
  CASE v.version WHEN 1 THEN NULL ELSE ('{"designated_version":' || (v.version - 1) || '}')::json END,
  ('{"version":' || v.version || ',"designated_version":' || v.version || '}')::json, v.created_at
FROM preset_versions v JOIN presets p ON p.id = v.preset_id JOIN workspaces w ON w.id = p.workspace_id;

UPDATE presets SET revision = latest_version;

-- An older server that still runs does not know the column; it is refused rather than let to write without events.
ALTER TABLE presets ALTER COLUMN revision DROP DEFAULT;
