import type { FastifyInstance } from 'fastify';
import { labelOperations, type PresetLabel } from '../../api/labels.ts';
import type { PresetEditor } from '../../core/presets/change-preset.ts';
import { presetEtag } from '../../core/presets/precondition.ts';
import type { Label } from '../../core/presets/preset.ts';
import type { PresetReader } from '../../core/presets/read-presets.ts';
import { setEtag } from '../protocol/conditional.ts';
import { serveOperations } from '../serve-operations.ts';
import { warningsOfMove } from './move-warnings.ts';
import { changeRequestOf, presetRequestOf } from './preset-request.ts';

/**
 * Callers pin a preset to a label, so moving one changes what they get without a deployment. Each
 * change is a change of the preset: it gets a new ETag and an event, and honors `If-Match`.
 */
export function labelRoutes(scope: FastifyInstance, reader: PresetReader, editor: PresetEditor): void {
  serveOperations(scope, labelOperations, {
    'GET /presets/:slug/labels': async (request) => {
      const labels = await reader.labels(presetRequestOf(request));
      return { data: [...labels].map(([name, label]) => toWire(name, label)), total_count: labels.size };
    },
    'PUT /presets/:slug/labels/:label': async (request, reply) => {
      const { label } = request.params;
      const moved = await editor.moveLabel(changeRequestOf(request), label, request.body.version);
      setEtag(reply, presetEtag(moved.preset));
      const previous = moved.before.labels.get(label)?.version;
      const warnings = await warningsOfMove(reader, moved.after, previous, moved.label.version);
      return { data: toWire(label, moved.label), warnings: [...warnings] };
    },
    'DELETE /presets/:slug/labels/:label': async (request, reply) => {
      const preset = await editor.removeLabel(changeRequestOf(request), request.params.label);
      setEtag(reply, presetEtag(preset));
      return { deleted: true };
    },
  });
}

function toWire(label: string, { version, updatedAt }: Label): PresetLabel {
  return { label, version, updated_at: updatedAt };
}
