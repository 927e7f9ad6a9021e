-- Tags are also in preset_words, in the form that storage/word-index.ts gives them.
CREATE TABLE preset_tags (
  preset_id TEXT NOT NULL REFERENCES presets (id),
  tag TEXT NOT NULL,
  PRIMARY KEY (preset_id, tag)
) STRICT, WITHOUT ROWID;

-- The words of a preset's tags and aliases and of its live version's models, note and system prompt, as core/words.ts
-- splits them, each after a space. Not in preset_words: servers of 0.6.0 fail to rename a preset whose new word is there
-- already. Only the indexer writes this and the next three tables, so they need no foreign keys.
CREATE TABLE preset_contents (
  -- Stands for the preset in content_words: ids would make that table five times as large.
  number INTEGER PRIMARY KEY,
  preset_id TEXT NOT NULL UNIQUE,
  words TEXT NOT NULL
) STRICT;

-- The numbers of workspaces in the next two tables.
CREATE TABLE content_workspaces (
  number INTEGER PRIMARY KEY,
  workspace_id TEXT NOT NULL UNIQUE
) STRICT;

-- The presets with a word, unless it is common: in a large workspace most words of a prompt are.
CREATE TABLE content_words (
  workspace INTEGER NOT NULL,
  word TEXT NOT NULL,
  preset INTEGER NOT NULL,
  PRIMARY KEY (workspace, word, preset)
) STRICT, WITHOUT ROWID;

-- Words that were in more than 1,000 presets of the workspace. They stay common, because their lists are gone.
CREATE TABLE common_words (
  workspace INTEGER NOT NULL,
  word TEXT NOT NULL,
  PRIMARY KEY (workspace, word)
) STRICT, WITHOUT ROWID;

-- Presets whose contents are missing or outdated. Triggers add rows here, so that presets written by older servers are
-- indexed too. One row per change: the indexer removes those it has read, and never one that is added meanwhile.
CREATE TABLE unindexed_presets (
  preset_id TEXT NOT NULL,
  revision INTEGER NOT NULL,
  PRIMARY KEY (preset_id, revision)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER presets_unindexed_insert AFTER INSERT ON presets BEGIN
  INSERT INTO unindexed_presets VALUES (NEW.id, NEW.revision) ON CONFLICT DO NOTHING;
END;

CREATE TRIGGER presets_unindexed_update AFTER UPDATE OF designated_version ON presets
WHEN OLD.designated_version <> NEW.designated_version BEGIN
  INSERT INTO unindexed_presets VALUES (NEW.id, NEW.revision) ON CONFLICT DO NOTHING;
END;

CREATE TRIGGER preset_tags_unindexed_insert AFTER INSERT ON preset_tags BEGIN
  INSERT INTO unindexed_presets SELECT id, revision FROM presets WHERE id = NEW.preset_id ON CONFLICT DO NOTHING;
END;

CREATE TRIGGER preset_tags_unindexed_delete AFTER DELETE ON preset_tags BEGIN
  INSERT INTO unindexed_presets SELECT id, revision FROM presets WHERE id = OLD.preset_id ON CONFLICT DO NOTHING;
END;

CREATE TRIGGER preset_aliases_unindexed_insert AFTER INSERT ON preset_aliases BEGIN
  INSERT INTO unindexed_presets SELECT id, revision FROM presets WHERE id = NEW.preset_id ON CONFLICT DO NOTHING;
END;

CREATE TRIGGER preset_aliases_unindexed_delete AFTER DELETE ON preset_aliases BEGIN
  INSERT INTO unindexed_presets SELECT id, revision FROM presets WHERE id = OLD.preset_id ON CONFLICT DO NOTHING;
END;

-- One row while presets from before the index remain, which the server indexes in the background, by id.
CREATE TABLE preset_backfill (
  -- Presets up to this one are indexed.
  after_preset_id TEXT PRIMARY KEY NOT NULL
) STRICT, WITHOUT ROWID;

INSERT INTO preset_backfill
SELECT '00000000-0000-0000-0000-000000000000' WHERE EXISTS (SELECT 1 FROM presets);
