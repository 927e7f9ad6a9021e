import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { errorResponses } from '../../api/errors.ts';
import { pageOf, pageQuery } from '../../api/page-query.ts';
import { nullable, timestamp } from '../../api/schema-parts.ts';
import { type EventKind, eventKinds, type PresetEvent } from '../../core/presets/preset-event.ts';
import type { PresetReader } from '../../core/presets/read-presets.ts';
import { type PresetRoute, presetRequestOf, slugParams, workspaceQuery } from './preset-request.ts';

/**
 * The history of one preset. Events are numbered without gaps, so a page is a range and the total
 * is the number of the last event. The audit log has the same events for the whole organization.
 */
export function presetEventRoutes(scope: FastifyInstance, reader: PresetReader): void {
  scope.get<PresetRoute & { Querystring: Type.Static<typeof pageQuery> }>(
    '/presets/:slug/events',
    { schema },
    async (request) => {
      const { events, totalCount } = await reader.events(presetRequestOf(request), pageOf(request.query));
      return { data: events.map(toWire), total_count: totalCount };
    },
  );
}

function toWire(event: PresetEvent): Type.Static<typeof presetEventSchema> {
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

/** Which keys these have depends on the kind of event. */
export const eventValues = nullable(
  Type.Record(Type.String(), Type.Union([Type.String(), Type.Integer(), Type.Boolean(), Type.Null()]), {
    description: 'The affected values. Null if there are none.',
  }),
);

export const presetEventSchema = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    number: Type.Integer({ minimum: 1, description: 'Sequence number of the change, from 1.' }),
    kind: Type.Unsafe<EventKind>({ type: 'string', enum: eventKinds }),
    actor_id: Type.String({ description: 'The owner of the key that made the change.' }),
    actor_email: nullable(Type.String()),
    key_label: nullable(Type.String({ description: 'The label of the key that made the change.' })),
    created_at: timestamp,
    before: eventValues,
    after: eventValues,
  },
  { additionalProperties: false, description: 'One change to a preset.' },
);

const schema = {
  operationId: 'listPresetEvents',
  tags: ['Presets'],
  summary: 'List the changes to a preset',
  description: 'Newest first, with the user and key that made each change.',
  params: slugParams,
  querystring: Type.Object({ ...workspaceQuery.properties, ...pageQuery.properties }),
  response: {
    200: {
      description: 'A page of events; empty past the end.',
      type: 'object',
      required: ['data', 'total_count'],
      properties: {
        data: { type: 'array', items: { $ref: 'PresetEvent#' } },
        total_count: { type: 'integer', description: 'Number of changes to the preset.' },
      },
    },
    ...errorResponses(400, 401, 403, 404, 429, 500, 503),
  },
};
