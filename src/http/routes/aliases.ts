import type { FastifyInstance } from 'fastify';
import { aliasOperations, type PresetAlias } from '../../api/aliases.ts';
import type { PresetEditor } from '../../core/presets/change-preset.ts';
import { presetEtag } from '../../core/presets/precondition.ts';
import type { Alias } from '../../core/presets/preset.ts';
import type { PresetReader } from '../../core/presets/read-presets.ts';
import { setEtag } from '../protocol/conditional.ts';
import { serveOperations } from '../serve-operations.ts';
import { changeRequestOf, presetRequestOf } from './preset-request.ts';

/** Like labels, aliases are part of the preset: a change gets a new ETag and an event. */
export function aliasRoutes(scope: FastifyInstance, reader: PresetReader, editor: PresetEditor): void {
  serveOperations(scope, aliasOperations, {
    'GET /presets/:slug/aliases': async (request) => {
      const aliases = await reader.aliases(presetRequestOf(request));
      return { data: [...aliases].map(([name, alias]) => toWire(name, alias)), total_count: aliases.size };
    },
    'GET /presets/:slug/aliases/:alias': async (request) => {
      const { alias } = request.params;
      return { data: toWire(alias, await reader.alias(presetRequestOf(request), alias)) };
    },
    'PUT /presets/:slug/aliases/:alias': async (request, reply) => {
      const { alias } = request.params;
      const added = await editor.addAlias(changeRequestOf(request), alias);
      setEtag(reply, presetEtag(added.preset));
      return { data: toWire(alias, added.alias) };
    },
    'DELETE /presets/:slug/aliases/:alias': async (request, reply) => {
      const preset = await editor.removeAlias(changeRequestOf(request), request.params.alias);
      setEtag(reply, presetEtag(preset));
      return { deleted: true };
    },
  });
}

function toWire(alias: string, { createdAt }: Alias): PresetAlias {
  return { alias, created_at: createdAt };
}
