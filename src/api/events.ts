import { type EventKind, eventKinds } from '../core/presets/preset-event.ts';
import { Type } from '../core/type.ts';
import { operations } from './operation.ts';
import { slugParams, workspacePageQuery } from './preset-parameters.ts';
import { named, nullable, page, ref, timestamp, uuid } from './schema-parts.ts';

/** The history of one preset. The audit log has the same events for the whole organization. */

/** Which keys these have depends on the kind of event. */
export const eventValues = nullable(
  Type.Record(Type.String(), Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()]), {
    description: 'The affected values. Null if there are none.',
  }),
);

export const PresetEvent = named(
  'PresetEvent',
  Type.Object(
    {
      id: uuid,
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
  ),
);

export type PresetEvent = Type.Static<typeof PresetEvent.schema>;
export type EventValues = Type.Static<typeof eventValues>;

export const eventOperations = operations({
  'GET /presets/:slug/events': {
    id: 'listPresetEvents',
    tag: 'Presets',
    access: 'read',
    summary: 'List the changes to a preset',
    description: 'Newest first, with the user and key that made each change.',
    params: slugParams,
    query: workspacePageQuery,
    response: {
      description: 'A page of events; empty past the end.',
      body: page(ref(PresetEvent), 'Number of changes to the preset.'),
    },
  },
});
