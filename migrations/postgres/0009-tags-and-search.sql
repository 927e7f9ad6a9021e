-- Tags are also in preset_words, in the form that storage/word-index.ts gives them. A table of their own, because a wider
-- row of presets would make the planner prefer a walk over the workspace to the index by slug while the table is empty.
CREATE TABLE preset_tags (
  preset_id uuid NOT NULL REFERENCES presets (id),
  tag text NOT NULL COLLATE "C",
  PRIMARY KEY (preset_id, tag)
);

-- The words of a preset's tags and aliases and of its live version's models, note and system prompt, as core/words.ts
-- splits them, each after a space. Not in preset_words: servers of 0.6.0 fail to rename a preset whose new word is there
-- already. Only the indexer writes this and the next three tables, so they need no foreign keys.
CREATE TABLE preset_contents (
  -- Stands for the preset in content_words: ids would make that table larger. The indexer assigns it.
  number integer PRIMARY KEY,
  preset_id uuid NOT NULL UNIQUE,
  words text NOT NULL COLLATE "C"
  -- Not compressed unless longer than a page: searches read many of them.
) WITH (toast_tuple_target = 8160);

-- The numbers of workspaces in the next two tables.
CREATE TABLE content_workspaces (
  number integer PRIMARY KEY,
  workspace_id uuid NOT NULL UNIQUE
);

-- The presets with a word, unless it is common: in a large workspace most words of a prompt are.
CREATE TABLE content_words (
  workspace integer NOT NULL,
  preset integer NOT NULL,
  word text NOT NULL COLLATE "C",
  PRIMARY KEY (workspace, word, preset)
);

-- Words that were in more than 1,000 presets of the workspace. They stay common, because their lists are gone.
CREATE TABLE common_words (
  workspace integer NOT NULL,
  word text NOT NULL COLLATE "C",
  PRIMARY KEY (workspace, word)
);

-- Presets whose contents are missing or outdated. Triggers add rows here, so that presets written by older servers are
-- indexed too. One row per change: the indexer removes those it has read, and never one that is added meanwhile, so
-- neither waits for the other.
CREATE TABLE unindexed_presets (
  preset_id uuid NOT NULL,
  revision integer NOT NULL,
  PRIMARY KEY (preset_id, revision)
);

CREATE FUNCTION mark_new_presets_unindexed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO unindexed_presets SELECT id, revision FROM made ON CONFLICT DO NOTHING;
  RETURN NULL;
END
$$;

CREATE TRIGGER presets_unindexed_insert AFTER INSERT ON presets
  REFERENCING NEW TABLE AS made FOR EACH STATEMENT EXECUTE FUNCTION mark_new_presets_unindexed();

-- Once per statement, because a statement creates many versions.
CREATE FUNCTION mark_changed_presets_unindexed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO unindexed_presets
  SELECT now.id, now.revision FROM changed now JOIN before ON before.id = now.id
  WHERE before.designated_version <> now.designated_version
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END
$$;

CREATE TRIGGER presets_unindexed_update AFTER UPDATE ON presets
  REFERENCING OLD TABLE AS before NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION mark_changed_presets_unindexed();

CREATE FUNCTION mark_named_preset_unindexed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO unindexed_presets
  SELECT id, revision FROM presets WHERE id = coalesce(NEW.preset_id, OLD.preset_id)
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END
$$;

CREATE TRIGGER preset_tags_unindexed AFTER INSERT OR DELETE ON preset_tags
  FOR EACH ROW EXECUTE FUNCTION mark_named_preset_unindexed();

-- Deferred until the preset has its new revision, because a change removes aliases first. Listing the old revision again
-- would have no effect, and the indexer could remove it before the change is committed.
CREATE CONSTRAINT TRIGGER preset_aliases_unindexed AFTER INSERT OR DELETE ON preset_aliases
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION mark_named_preset_unindexed();

-- One row while presets from before the index remain, which the server indexes in the background, by id.
CREATE TABLE preset_backfill (
  -- Presets up to this one are indexed.
  after_preset_id uuid PRIMARY KEY
);

INSERT INTO preset_backfill
SELECT '00000000-0000-0000-0000-000000000000' WHERE EXISTS (SELECT 1 FROM presets);
