-- More names for presets. Slugs and aliases of a workspace are unique together: triggers refuse a slug that is an alias and
-- an alias that is a slug, also for older servers, which do not know aliases. Only one connection writes at a time, so no
-- other can add the name between the check and the commit.
CREATE TABLE preset_aliases (
  workspace_id TEXT NOT NULL,
  alias TEXT NOT NULL,
  preset_id TEXT NOT NULL REFERENCES presets (id),
  created_at TEXT NOT NULL,
  PRIMARY KEY (workspace_id, alias)
) STRICT, WITHOUT ROWID;

CREATE INDEX preset_aliases_by_preset ON preset_aliases (preset_id, alias, created_at);

-- After and not before: a create that adds a version to an existing preset inserts nothing.
CREATE TRIGGER presets_alias_insert AFTER INSERT ON presets
WHEN EXISTS (SELECT 1 FROM preset_aliases WHERE workspace_id = NEW.workspace_id AND alias = NEW.slug) BEGIN
  SELECT RAISE(ABORT, 'the slug is an alias of another preset');
END;

CREATE TRIGGER presets_alias_update AFTER UPDATE OF slug ON presets
WHEN OLD.slug <> NEW.slug
  AND EXISTS (SELECT 1 FROM preset_aliases WHERE workspace_id = NEW.workspace_id AND alias = NEW.slug) BEGIN
  SELECT RAISE(ABORT, 'the slug is an alias');
END;

CREATE TRIGGER preset_aliases_slug BEFORE INSERT ON preset_aliases
WHEN EXISTS (SELECT 1 FROM presets WHERE workspace_id = NEW.workspace_id AND slug = NEW.alias) BEGIN
  SELECT RAISE(ABORT, 'the alias is the slug of a preset');
END;
