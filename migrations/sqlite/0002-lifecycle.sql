--! breaking
-- An older server would add versions without their events.

-- How often the preset was changed: the number of its last event, and what its ETag is made of.
ALTER TABLE presets ADD COLUMN revision INTEGER NOT NULL DEFAULT 0;

-- Newest first within one status; a list of several statuses merges them.
CREATE INDEX presets_by_update ON presets (workspace_id, status, updated_at DESC, id DESC);

CREATE TABLE preset_labels (
  preset_id TEXT NOT NULL REFERENCES presets (id),
  label TEXT NOT NULL,
  version INTEGER NOT NULL,
  updated_at TEXT NOT NULL,
  PRIMARY KEY (preset_id, label),
  -- A label can only point to a version of its own preset.
  FOREIGN KEY (preset_id, version) REFERENCES preset_versions (preset_id, version)
) STRICT, WITHOUT ROWID;

-- The words of slug, name and description, as core/words.ts finds them.
CREATE TABLE preset_words (
  preset_id TEXT NOT NULL REFERENCES presets (id),
  word TEXT NOT NULL,
  workspace_id TEXT NOT NULL,
  PRIMARY KEY (preset_id, word)
) STRICT, WITHOUT ROWID;

CREATE INDEX preset_words_by_word ON preset_words (workspace_id, word, preset_id);

-- What happened, kept after what it happened to; hence few references.
CREATE TABLE audit_events (
  id TEXT NOT NULL,
  organization_id TEXT NOT NULL,
  workspace_id TEXT,
  preset_id TEXT REFERENCES presets (id),
  -- Of the events of one preset, 1 to its revision.
  number INTEGER,
  kind TEXT NOT NULL,
  actor_id TEXT NOT NULL,
  key_label TEXT,
  before TEXT,
  after TEXT,
  created_at TEXT NOT NULL,
  PRIMARY KEY (organization_id, created_at, id)
) STRICT;

CREATE UNIQUE INDEX audit_events_by_preset ON audit_events (preset_id, number) WHERE preset_id IS NOT NULL;

CREATE TRIGGER audit_events_immutable BEFORE UPDATE ON audit_events BEGIN
  SELECT RAISE(ABORT, 'an event is never changed');
END;

CREATE TRIGGER audit_events_permanent BEFORE DELETE ON audit_events BEGIN
  SELECT RAISE(ABORT, 'an event is never deleted');
END;

CREATE TABLE idempotency_keys (
  workspace_id TEXT NOT NULL REFERENCES workspaces (id),
  key TEXT NOT NULL,
  request_hash TEXT NOT NULL,
  -- The preset as it was answered, without the version, which never changes and need not be kept twice.
  answer TEXT NOT NULL,
  preset_id TEXT NOT NULL,
  version INTEGER NOT NULL,
  created_at TEXT NOT NULL,
  PRIMARY KEY (workspace_id, key)
) STRICT, WITHOUT ROWID;

CREATE INDEX idempotency_keys_by_age ON idempotency_keys (created_at);

-- Kept by triggers, so that a count costs the same for ten presets and for a million.
CREATE TABLE preset_counts (
  workspace_id TEXT NOT NULL,
  status TEXT NOT NULL,
  presets INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, status)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER presets_count_insert AFTER INSERT ON presets BEGIN
  INSERT INTO preset_counts VALUES (NEW.workspace_id, NEW.status, 1)
  ON CONFLICT (workspace_id, status) DO UPDATE SET presets = presets + 1;
END;

CREATE TRIGGER presets_count_update AFTER UPDATE OF status ON presets WHEN OLD.status <> NEW.status BEGIN
  UPDATE preset_counts SET presets = presets - 1 WHERE workspace_id = OLD.workspace_id AND status = OLD.status;
  INSERT INTO preset_counts VALUES (NEW.workspace_id, NEW.status, 1)
  ON CONFLICT (workspace_id, status) DO UPDATE SET presets = presets + 1;
END;

CREATE TRIGGER presets_count_delete AFTER DELETE ON presets BEGIN
  UPDATE preset_counts SET presets = presets - 1 WHERE workspace_id = OLD.workspace_id AND status = OLD.status;
END;

-- What was there before: every version is an event, and names are still slugs.
INSERT INTO preset_counts SELECT workspace_id, status, count(*) FROM presets GROUP BY workspace_id, status;

INSERT INTO preset_words
SELECT DISTINCT p.id, substr(word.value, 1, 64), p.workspace_id
FROM presets p, json_each(
  '["' || replace(replace(replace(replace(lower(p.slug), '-', '","'), '.', '","'), '_', '","'), '~', '","') || '"]'
) word
WHERE word.value <> '';

INSERT INTO audit_events
SELECT v.id, w.organization_id, w.id, p.id, v.version,
  iif(v.version = 1, 'preset.created', 'preset.version_added'), v.creator_id, NULL,
  iif(v.version = 1, NULL, '{"designated_version":' || (v.version - 1) || '}'),
  '{"version":' || v.version || ',"designated_version":' || v.version || '}', v.created_at
FROM preset_versions v JOIN presets p ON p.id = v.preset_id JOIN workspaces w ON w.id = p.workspace_id;

UPDATE presets SET revision = latest_version;

-- An older server that still runs does not know the column; it is refused rather than let to write without events.
CREATE TRIGGER presets_need_revision BEFORE INSERT ON presets WHEN NEW.revision = 0 BEGIN
  SELECT RAISE(ABORT, 'this database is used by a newer version of presetd');
END;
