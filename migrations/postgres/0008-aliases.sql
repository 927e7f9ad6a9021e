-- More names for presets. Slugs and aliases of a workspace are unique together: triggers refuse a slug that is an alias and
-- an alias that is a slug, also for older servers, which do not know aliases.
CREATE TABLE preset_aliases (
  workspace_id uuid NOT NULL,
  alias text NOT NULL COLLATE "C",
  preset_id uuid NOT NULL REFERENCES presets (id),
  created_at timestamptz NOT NULL,
  PRIMARY KEY (workspace_id, alias)
);

CREATE INDEX preset_aliases_by_preset ON preset_aliases (preset_id, alias);

-- Adding an alias or changing a slug takes this lock on the names of the workspace exclusively. Inserting presets takes it
-- shared, so that inserts do not wait for each other. The transaction that gets it second sees what the first committed.
CREATE FUNCTION preset_names_lock(workspace_id uuid) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$
  SELECT hashtextextended('presetd preset names ' || workspace_id::text, 0)
$$;

CREATE FUNCTION refuse_name(name text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  RAISE unique_violation USING
    MESSAGE = format('another preset of the workspace has the name "%s"', name), CONSTRAINT = 'preset_names';
END
$$;

CREATE FUNCTION check_new_slugs() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  taken text;
BEGIN
  PERFORM pg_advisory_xact_lock_shared(preset_names_lock(workspace_id))
  FROM (SELECT DISTINCT workspace_id FROM made ORDER BY workspace_id) workspaces;
  -- Most creates add versions to existing presets.
  IF NOT FOUND THEN RETURN NULL; END IF;
  -- A statement of its own: it sees what was committed before the lock was granted.
  SELECT made.slug INTO taken
  FROM made CROSS JOIN LATERAL (
    SELECT 1 FROM preset_aliases WHERE workspace_id = made.workspace_id AND alias = made.slug LIMIT 1
  ) a LIMIT 1;
  IF FOUND THEN PERFORM refuse_name(taken); END IF;
  RETURN NULL;
END
$$;

-- Triggers run in the order of their names. This one must take its lock before preset_counts is locked, as every other
-- writer does.
CREATE TRIGGER presets_alias_insert AFTER INSERT ON presets
  REFERENCING NEW TABLE AS made FOR EACH STATEMENT EXECUTE FUNCTION check_new_slugs();

CREATE FUNCTION check_changed_slug() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(preset_names_lock(NEW.workspace_id));
  IF EXISTS (SELECT 1 FROM preset_aliases WHERE workspace_id = NEW.workspace_id AND alias = NEW.slug) THEN
    PERFORM refuse_name(NEW.slug);
  END IF;
  RETURN NULL;
END
$$;

CREATE TRIGGER presets_alias_update AFTER UPDATE OF slug ON presets
  FOR EACH ROW WHEN (OLD.slug <> NEW.slug) EXECUTE FUNCTION check_changed_slug();

CREATE FUNCTION check_new_alias() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(preset_names_lock(NEW.workspace_id));
  IF EXISTS (SELECT 1 FROM presets WHERE workspace_id = NEW.workspace_id AND slug = NEW.alias) THEN
    PERFORM refuse_name(NEW.alias);
  END IF;
  RETURN NEW;
END
$$;

CREATE TRIGGER preset_aliases_slug BEFORE INSERT ON preset_aliases
  FOR EACH ROW EXECUTE FUNCTION check_new_alias();
