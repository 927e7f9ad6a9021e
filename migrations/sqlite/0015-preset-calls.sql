-- When each preset was last called. Beside the presets, because a call is not a change: it must not
-- lock a preset or touch its revision. A preset that was never called has no row.
CREATE TABLE preset_calls (
  preset_id TEXT PRIMARY KEY REFERENCES presets (id),
  last_called_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;
