-- Every call through the gateway, without its content. Calls of a group have all values in common that
-- they are counted by. Calls and counts have no foreign key to it: that would be a lookup for each of
-- them, and groups are never deleted.
CREATE TABLE call_groups (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  -- Of all other columns.
  digest text NOT NULL UNIQUE,
  organization_id uuid NOT NULL REFERENCES organizations (id),
  workspace_id uuid NOT NULL REFERENCES workspaces (id),
  key_id uuid,
  user_id text NOT NULL,
  preset_id uuid,
  preset_slug text,
  version integer,
  selection text,
  label text,
  model text,
  upstream text,
  dialect text NOT NULL,
  status integer NOT NULL,
  purpose text NOT NULL
);

CREATE INDEX call_groups_by_workspace ON call_groups (organization_id, workspace_id);
CREATE INDEX call_groups_by_key ON call_groups (key_id);
CREATE INDEX call_groups_by_preset ON call_groups (preset_id);

-- The prices that costs were computed with.
CREATE TABLE call_prices (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  price text NOT NULL UNIQUE
);

CREATE TABLE calls (
  -- Starts with the time, so that the newest calls are the last rows.
  id uuid PRIMARY KEY,
  group_id integer NOT NULL,
  requested_model text,
  -- A slug, if no version was called: one that does not exist, for example.
  requested_preset text,
  error_code text,
  -- Of presetd, without any text of the request or the response.
  error_message text,
  responding_model text,
  upstream_id text,
  -- Its time and a hash of it, for a short index of which a batch changes few pages.
  upstream_key bigint,
  finish_reason text,
  input_tokens bigint,
  cached_tokens bigint,
  cache_write_tokens bigint,
  output_tokens bigint,
  reasoning_tokens bigint,
  is_estimated boolean NOT NULL,
  -- In billionths of a US dollar. NULL if the price is not known.
  cost_nanos bigint,
  cost_source text,
  price_id integer,
  first_token_ms real,
  total_ms real NOT NULL,
  presetd_ms real NOT NULL,
  is_streamed boolean NOT NULL,
  fallbacks text,
  session_id text,
  end_user text,
  app_title text,
  referer text
);

CREATE INDEX calls_by_upstream_key ON calls (upstream_key) WHERE upstream_key IS NOT NULL;

-- Sums of the calls of a group in an hour (resolution 1) or a day (24), which begins at `start`, in
-- hours since 1970. Current rows change with every batch, in place if their page has room.
CREATE TABLE call_totals (
  resolution smallint NOT NULL,
  group_id integer NOT NULL,
  start integer NOT NULL,
  calls bigint NOT NULL,
  estimated_calls bigint NOT NULL,
  unpriced_calls bigint NOT NULL,
  free_calls bigint NOT NULL,
  streamed_calls bigint NOT NULL,
  input_tokens bigint NOT NULL,
  cached_tokens bigint NOT NULL,
  cache_write_tokens bigint NOT NULL,
  output_tokens bigint NOT NULL,
  reasoning_tokens bigint NOT NULL,
  cost_nanos bigint NOT NULL,
  total_ms bigint NOT NULL,
  -- How many of the calls took about as long: in all, and until the first token. One is appended to
  -- the other to add them up.
  durations text NOT NULL,
  first_token_durations text NOT NULL,
  PRIMARY KEY (resolution, group_id, start)
) WITH (fillfactor = 80);

-- The batches that were stored lately, so that none is counted twice if its commit is repeated.
CREATE TABLE call_batches (
  id uuid PRIMARY KEY
);
