-- Unsaved work on presets. Each person has at most one draft of a preset, and loses it with their
-- membership; the database deletes it, because older servers do not know drafts.
CREATE TABLE preset_drafts (
  preset_id TEXT NOT NULL REFERENCES presets (id),
  user_id TEXT NOT NULL,
  organization_id TEXT NOT NULL,
  -- New for each draft, so that no ETag is ever used twice.
  id TEXT NOT NULL,
  -- The text of a request, which need not be valid JSON while somebody types it.
  text TEXT NOT NULL,
  dialect TEXT,
  base_version INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  updated_at TEXT NOT NULL,
  PRIMARY KEY (preset_id, user_id),
  FOREIGN KEY (organization_id, user_id) REFERENCES memberships (organization_id, user_id) ON DELETE CASCADE
) STRICT;

CREATE INDEX preset_drafts_by_update ON preset_drafts (preset_id, updated_at DESC, user_id);
CREATE INDEX preset_drafts_by_member ON preset_drafts (organization_id, user_id);

-- Test cases of presets. Rows are only added, one for each event that saves, renames or removes a
-- case, so that a case can be read as it was at any event.
CREATE TABLE preset_cases (
  preset_id TEXT NOT NULL REFERENCES presets (id),
  name TEXT NOT NULL,
  -- Of the preset's event.
  number INTEGER NOT NULL,
  -- JSON; NULL if the event took the case away from this name.
  content TEXT,
  -- Whether the preset has this case now.
  is_current INTEGER NOT NULL CHECK (is_current IN (0, 1)),
  PRIMARY KEY (preset_id, name, number)
) STRICT;

CREATE UNIQUE INDEX preset_cases_current ON preset_cases (preset_id, name) WHERE is_current = 1;

CREATE TRIGGER preset_cases_immutable BEFORE UPDATE OF preset_id, name, number, content ON preset_cases BEGIN
  SELECT RAISE(ABORT, 'a case is never changed');
END;

CREATE TRIGGER preset_cases_permanent BEFORE DELETE ON preset_cases BEGIN
  SELECT RAISE(ABORT, 'a case is never deleted');
END;
