-- When each preset was last called. Beside the presets, because a call is not a change: it must not
-- lock a preset or touch its revision. A preset that was never called has no row. Rows are updated
-- once a minute, in place if their page has room.
CREATE TABLE preset_calls (
  preset_id uuid PRIMARY KEY REFERENCES presets (id),
  last_called_at timestamptz NOT NULL
) WITH (fillfactor = 50);
