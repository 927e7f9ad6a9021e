import type { Caller } from '../core/authenticate.ts';
import { presetTag } from '../core/precondition.ts';
import type { Preset } from '../core/preset.ts';
import type { PresetReader } from '../core/read-presets.ts';
import { commonHeaders, requestIdOf } from './common-headers.ts';
import { etagOf, readCacheControl } from './conditional.ts';
import type { FastRoute } from './fast-path.ts';
import { cachedPresetResponse } from './preset-response.ts';
import type { RequestLog } from './request-log.ts';

/** A slug that says what it means, and nothing after it. */
const plainPath = /^\/api\/v1\/presets\/([^/?%]+)$/;

/**
 * Reads of presets are asked more often than anything else, and most of them need nothing that is not in memory: these
 * are answered before the framework and without its cost. The answer is the one of the route; what cannot be
 * answered at once, and everything that is wrong, goes on to the route.
 */
export function createPresetFastRoute(reader: PresetReader, logRequest: RequestLog): FastRoute {
  return {
    matches: ({ method, headers, url = '' }) =>
      method === 'GET' && headers['if-none-match'] === undefined && plainPath.test(url),
    serve({ headers, url = '' }, response, caller, startedAt) {
      const preset = cachedPreset(caller, plainPath.exec(url)?.[1] ?? '', reader);
      if (preset === undefined) return false;
      const id = requestIdOf(headers);
      const { text, bytes } = cachedPresetResponse(preset);
      response.writeHead(200, {
        ...commonHeaders(id),
        etag: etagOf(presetTag(preset)),
        'cache-control': readCacheControl,
        'content-type': 'application/json; charset=utf-8',
        'content-length': bytes,
      });
      response.end(text);
      const ms = performance.now() - startedAt;
      logRequest({ id, method: 'GET', route: '/api/v1/presets/:slug', status: 200, ms, keyId: caller.id });
      return true;
    },
  };
}

function cachedPreset(caller: Caller, slug: string, reader: PresetReader): Preset | undefined {
  try {
    const preset = reader.get({ caller, slug, workspaceId: undefined });
    if (!(preset instanceof Promise)) return preset;
    // The route asks the same in the same moment and gets the same answer, be it an error.
    preset.catch(() => {});
  } catch {
    // The route says what is wrong.
  }
  return undefined;
}
