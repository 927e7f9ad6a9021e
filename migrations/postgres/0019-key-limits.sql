-- What calls with the key may cost in a period, in billionths of a US dollar. NULL: no limit.
ALTER TABLE api_keys ADD COLUMN limit_nanos bigint;

-- The period: `daily`, `weekly` or `monthly`, in UTC. NULL: the limit is for the life of the key.
ALTER TABLE api_keys ADD COLUMN limit_reset text;
