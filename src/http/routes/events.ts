import type { FastifyInstance } from 'fastify';
import { eventOperations, type PresetEvent as PresetEventOnWire } from '../../api/events.ts';
import { pageOf } from '../../api/schema-parts.ts';
import type { PresetEvent } from '../../core/presets/preset-event.ts';
import type { PresetReader } from '../../core/presets/read-presets.ts';
import { serveOperations } from '../serve-operations.ts';
import { presetRequestOf } from './preset-request.ts';

/**
 * Events are numbered without gaps, so a page is a range and the total is the number of the last
 * event.
 */
export function eventRoutes(scope: FastifyInstance, reader: PresetReader): void {
  serveOperations(scope, eventOperations, {
    'GET /presets/:slug/events': async (request) => {
      const { events, totalCount } = await reader.events(presetRequestOf(request), pageOf(request.query));
      return { data: events.map(toWire), total_count: totalCount };
    },
  });
}

function toWire(event: PresetEvent): PresetEventOnWire {
  return {
    id: event.id,
    number: event.number,
    kind: event.kind,
    actor_id: event.actorId,
    actor_email: event.actorEmail,
    key_label: event.keyLabel,
    created_at: event.createdAt,
    before: event.before,
    after: event.after,
  };
}
