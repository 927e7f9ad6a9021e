-- Apart from what comes before: on many events this takes a while, in which none can be added.
CREATE INDEX audit_events_by_actor ON audit_events (organization_id, actor_id, created_at, id);
CREATE INDEX audit_events_by_kind ON audit_events (organization_id, kind, created_at, id);
