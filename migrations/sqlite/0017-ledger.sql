-- Every call through the gateway, without its content. Calls of a group have all values in common that
-- they are counted by. Calls and counts have no foreign key to it: that would be a lookup for each of
-- them, and groups are never deleted.
CREATE TABLE call_groups (
  id INTEGER PRIMARY KEY,
  -- Of all other columns.
  digest TEXT NOT NULL UNIQUE,
  organization_id TEXT NOT NULL REFERENCES organizations (id),
  workspace_id TEXT NOT NULL REFERENCES workspaces (id),
  key_id TEXT,
  user_id TEXT NOT NULL,
  preset_id TEXT,
  preset_slug TEXT,
  version INTEGER,
  selection TEXT,
  label TEXT,
  model TEXT,
  upstream TEXT,
  dialect TEXT NOT NULL,
  status INTEGER NOT NULL,
  purpose TEXT NOT NULL
) STRICT;

CREATE INDEX call_groups_by_workspace ON call_groups (organization_id, workspace_id);
CREATE INDEX call_groups_by_key ON call_groups (key_id);
CREATE INDEX call_groups_by_preset ON call_groups (preset_id);

-- The prices that costs were computed with.
CREATE TABLE call_prices (
  id INTEGER PRIMARY KEY,
  price TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE calls (
  -- Starts with the time, so that the newest calls are the last rows.
  id TEXT PRIMARY KEY,
  group_id INTEGER NOT NULL,
  requested_model TEXT,
  -- A slug, if no version was called: one that does not exist, for example.
  requested_preset TEXT,
  error_code TEXT,
  -- Of presetd, without any text of the request or the response.
  error_message TEXT,
  responding_model TEXT,
  upstream_id TEXT,
  -- Its time and a hash of it, for a short index of which a batch changes few pages.
  upstream_key INTEGER,
  finish_reason TEXT,
  input_tokens INTEGER,
  cached_tokens INTEGER,
  cache_write_tokens INTEGER,
  output_tokens INTEGER,
  reasoning_tokens INTEGER,
  is_estimated INTEGER NOT NULL,
  -- In billionths of a US dollar. NULL if the price is not known.
  cost_nanos INTEGER,
  cost_source TEXT,
  price_id INTEGER,
  first_token_ms REAL,
  total_ms REAL NOT NULL,
  presetd_ms REAL NOT NULL,
  is_streamed INTEGER NOT NULL,
  fallbacks TEXT,
  session_id TEXT,
  end_user TEXT,
  app_title TEXT,
  referer TEXT
) STRICT, WITHOUT ROWID;

CREATE INDEX calls_by_upstream_key ON calls (upstream_key) WHERE upstream_key IS NOT NULL;

-- Sums of the calls of a group in an hour (resolution 1) or a day (24), which begins at `start`, in
-- hours since 1970.
CREATE TABLE call_totals (
  resolution INTEGER NOT NULL,
  group_id INTEGER NOT NULL,
  start INTEGER NOT NULL,
  calls INTEGER NOT NULL,
  estimated_calls INTEGER NOT NULL,
  unpriced_calls INTEGER NOT NULL,
  free_calls INTEGER NOT NULL,
  streamed_calls INTEGER NOT NULL,
  input_tokens INTEGER NOT NULL,
  cached_tokens INTEGER NOT NULL,
  cache_write_tokens INTEGER NOT NULL,
  output_tokens INTEGER NOT NULL,
  reasoning_tokens INTEGER NOT NULL,
  cost_nanos INTEGER NOT NULL,
  total_ms INTEGER NOT NULL,
  -- How many of the calls took about as long: in all, and until the first token. One is appended to
  -- the other to add them up.
  durations TEXT NOT NULL,
  first_token_durations TEXT NOT NULL,
  -- Not WITHOUT ROWID: such rows have more than a quarter of a page in pages of their own, and every
  -- batch would release and allocate them again.
  PRIMARY KEY (resolution, group_id, start)
) STRICT;

-- The batches that were stored lately, so that none is counted twice if its commit is repeated.
CREATE TABLE call_batches (
  id TEXT PRIMARY KEY
) STRICT, WITHOUT ROWID;
