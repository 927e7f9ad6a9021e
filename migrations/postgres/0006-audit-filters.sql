-- Each index ends with kind, time and id: a page merges the newest events of each kind, so one index serves the filter with
-- and without a kind. Adding an index to audit_events slows down every create; that is why there is none per combination.
-- No event can be added while an index is built. IF NOT EXISTS: on a large table, an operator builds them CONCURRENTLY
-- before the upgrade (docs/operations.md). One that failed halfway exists but is never used, so it is dropped first.
DO $$
DECLARE
  unfinished regclass;
BEGIN
  FOR unfinished IN
    SELECT indexrelid FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
    WHERE indrelid = 'audit_events'::regclass AND NOT indisvalid AND relname IN
      ('audit_events_by_workspace', 'audit_events_by_workspace_actor', 'audit_events_by_preset_actor')
  LOOP
    EXECUTE format('DROP INDEX %s', unfinished);
  END LOOP;
END
$$;

CREATE INDEX IF NOT EXISTS audit_events_by_workspace ON audit_events (workspace_id, kind, created_at, id)
  WHERE workspace_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS audit_events_by_workspace_actor ON audit_events (workspace_id, actor_id, kind, created_at, id)
  WHERE workspace_id IS NOT NULL;
-- Few people change any one preset, so its events without an actor are merged from those of each of them.
CREATE INDEX IF NOT EXISTS audit_events_by_preset_actor ON audit_events (preset_id, actor_id, kind, created_at, id)
  WHERE preset_id IS NOT NULL;
