import type { FastifyInstance } from 'fastify';
import { draftOperations, type PresetDraft, type PresetDraftSummary } from '../../api/drafts.ts';
import { pageOf } from '../../api/schema-parts.ts';
import type { Draft, DraftSummary } from '../../core/presets/draft.ts';
import type { Drafts } from '../../core/presets/drafts.ts';
import { presetEtag } from '../../core/presets/precondition.ts';
import { preconditionOf, sendWithEtag, setEtag } from '../protocol/conditional.ts';
import { serveOperations } from '../serve-operations.ts';
import { presetRequestOf } from './preset-request.ts';

/** Conditions and ETags of these routes are about the draft, not about the preset. */
export function draftRoutes(scope: FastifyInstance, drafts: Drafts): void {
  serveOperations(scope, draftOperations, {
    'GET /presets/:slug/draft': async (request, reply) => {
      const draft = await drafts.get(presetRequestOf(request));
      return sendWithEtag(request.headers, reply, presetEtag(draft), () =>
        JSON.stringify({ data: toWire(draft) }),
      );
    },
    'PUT /presets/:slug/draft': async (request, reply) => {
      const { text, dialect, base_version: baseVersion } = request.body;
      const precondition = preconditionOf(request.headers, 'draft');
      const change = { ...presetRequestOf(request), precondition };
      const draft = await drafts.save(change, { text, dialect, baseVersion });
      setEtag(reply, presetEtag(draft));
      return { data: toWire(draft) };
    },
    'DELETE /presets/:slug/draft': async (request) => {
      const precondition = preconditionOf(request.headers, 'draft');
      await drafts.discard({ ...presetRequestOf(request), precondition });
      return { deleted: true };
    },
    'GET /presets/:slug/drafts': async (request) => {
      const found = await drafts.list(presetRequestOf(request), pageOf(request.query));
      return { data: found.drafts.map(toSummary), total_count: found.totalCount };
    },
  });
}

function toWire({ text, dialect, baseVersion, updatedAt }: Draft): PresetDraft {
  return { text, dialect, base_version: baseVersion, updated_at: updatedAt };
}

function toSummary({ userId, email, name, baseVersion, updatedAt }: DraftSummary): PresetDraftSummary {
  return { user_id: userId, email, name, base_version: baseVersion, updated_at: updatedAt };
}
