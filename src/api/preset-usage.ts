import { Type } from '../core/type.ts';
import { operations } from './operation.ts';
import { slugParams, workspaceQuery } from './preset-parameters.ts';
import { named, nullable, one, ref, timestamp } from './schema-parts.ts';

export const PresetUsage = named(
  'PresetUsage',
  Type.Object(
    {
      last_called_at: nullable(timestamp),
    },
    {
      additionalProperties: false,
      description:
        'When an API key last called the preset, by any of its names, versions and labels; null if none has. ' +
        'Dry runs, drafts and runs in the dashboard do not count.',
    },
  ),
);

export type PresetUsage = Type.Static<typeof PresetUsage.schema>;

export const presetUsageOperations = operations({
  'GET /presets/:slug/usage': {
    id: 'getPresetUsage',
    tag: 'Presets',
    access: 'read',
    summary: 'Find out when a preset was last called',
    description:
      'To find out whether anything still uses a preset before you disable or archive it. ' +
      'A call can take a minute to show up here.',
    params: slugParams,
    query: workspaceQuery,
    response: { description: 'The last call.', body: one(ref(PresetUsage)) },
  },
});
