-- Unsaved work on presets. Each person has at most one draft of a preset, and loses it with their
-- membership; the database deletes it, because older servers do not know drafts.
CREATE TABLE preset_drafts (
  preset_id uuid NOT NULL REFERENCES presets (id),
  user_id text NOT NULL,
  organization_id uuid NOT NULL,
  -- New for each draft, so that no ETag is ever used twice.
  id uuid NOT NULL,
  -- The text of a request, which need not be valid JSON while somebody types it.
  text text NOT NULL,
  dialect text,
  base_version integer NOT NULL,
  revision integer NOT NULL,
  updated_at timestamptz NOT NULL,
  PRIMARY KEY (preset_id, user_id),
  FOREIGN KEY (organization_id, user_id) REFERENCES memberships (organization_id, user_id) ON DELETE CASCADE
);

CREATE INDEX preset_drafts_by_update ON preset_drafts (preset_id, updated_at DESC, user_id);
CREATE INDEX preset_drafts_by_member ON preset_drafts (organization_id, user_id);

-- Test cases of presets. Rows are only added, one for each event that saves, renames or removes a
-- case, so that a case can be read as it was at any event.
CREATE TABLE preset_cases (
  preset_id uuid NOT NULL REFERENCES presets (id),
  name text NOT NULL COLLATE "C",
  -- Of the preset's event.
  number integer NOT NULL,
  -- NULL if the event took the case away from this name.
  content json,
  -- Whether the preset has this case now.
  is_current boolean NOT NULL,
  PRIMARY KEY (preset_id, name, number)
);

CREATE UNIQUE INDEX preset_cases_current ON preset_cases (preset_id, name) WHERE is_current;

CREATE FUNCTION refuse_case_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'a case is never changed or deleted';
END
$$;

CREATE TRIGGER preset_cases_immutable BEFORE UPDATE OF preset_id, name, number, content OR DELETE OR TRUNCATE ON preset_cases
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_case_change();
