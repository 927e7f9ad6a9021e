-- Each index ends with kind, time and id: a page merges the newest events of each kind, so one index serves the filter with
-- and without a kind. Adding an index to audit_events slows down every create; that is why there is none per combination.
CREATE INDEX audit_events_by_workspace ON audit_events (workspace_id, kind, created_at, id)
  WHERE workspace_id IS NOT NULL;
CREATE INDEX audit_events_by_workspace_actor ON audit_events (workspace_id, actor_id, kind, created_at, id)
  WHERE workspace_id IS NOT NULL;
-- Few people change any one preset, so its events without an actor are merged from those of each of them.
CREATE INDEX audit_events_by_preset_actor ON audit_events (preset_id, actor_id, kind, created_at, id)
  WHERE preset_id IS NOT NULL;
