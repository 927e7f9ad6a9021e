-- What a subject, such as a key, has spent: so far, and in the current day, week and month, which
-- start at these hours since 1970. In billionths of a US dollar.
CREATE TABLE spending (
  subject TEXT PRIMARY KEY,
  total INTEGER NOT NULL,
  day INTEGER NOT NULL,
  day_start INTEGER NOT NULL,
  week INTEGER NOT NULL,
  week_start INTEGER NOT NULL,
  month INTEGER NOT NULL,
  month_start INTEGER NOT NULL,
  -- The part that was written off because a process died.
  written_off INTEGER NOT NULL
) STRICT;

-- The parts of limits that single processes may spend. A lease that has expired counts as spent; it
-- is kept for a while, so that a process that was only slow can take it back.
CREATE TABLE spending_leases (
  subject TEXT NOT NULL,
  holder TEXT NOT NULL,
  nanos INTEGER NOT NULL,
  written_off INTEGER NOT NULL,
  -- In milliseconds since 1970.
  expires_at INTEGER NOT NULL,
  PRIMARY KEY (subject, holder)
) STRICT, WITHOUT ROWID;

CREATE INDEX spending_leases_by_expiry ON spending_leases (expires_at);
