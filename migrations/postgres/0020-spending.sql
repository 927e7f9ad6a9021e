-- What a subject, such as a key, has spent: so far, and in the current day, week and month, which
-- start at these hours since 1970. In billionths of a US dollar.
CREATE TABLE spending (
  subject text PRIMARY KEY,
  total bigint NOT NULL,
  day bigint NOT NULL,
  day_start integer NOT NULL,
  week bigint NOT NULL,
  week_start integer NOT NULL,
  month bigint NOT NULL,
  month_start integer NOT NULL,
  -- The part that was written off because a process died.
  written_off bigint NOT NULL
) WITH (fillfactor = 80);

-- The parts of limits that single processes may spend. A lease that has expired counts as spent; it
-- is kept for a while, so that a process that was only slow can take it back.
CREATE TABLE spending_leases (
  subject text NOT NULL,
  holder text NOT NULL,
  nanos bigint NOT NULL,
  written_off bigint NOT NULL,
  -- In milliseconds since 1970.
  expires_at bigint NOT NULL,
  PRIMARY KEY (subject, holder)
);

CREATE INDEX spending_leases_by_expiry ON spending_leases (expires_at);
