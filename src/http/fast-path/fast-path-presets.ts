import type { Caller } from '../../core/organization/api-key.ts';
import { presetEtag } from '../../core/presets/precondition.ts';
import type { Preset } from '../../core/presets/preset.ts';
import type { PresetReader } from '../../core/presets/read-presets.ts';
import { commonHeaders, requestIdOf } from '../protocol/common-headers.ts';
import { etagOf, readCacheControl } from '../protocol/conditional.ts';
import type { RequestLog } from '../request-log.ts';
import { cachedPresetResponse } from '../routes/preset-response.ts';
import type { FastRoute } from './fast-path.ts';

/** A slug without escapes, and nothing after it: no decoding and no query to check. */
const plainPath = /^\/api\/v1\/presets\/([^/?%]+)$/;

/**
 * The fast path for `GET /api/v1/presets/{slug}`, the most frequent request. It serves presets that
 * are cached, with exactly the response of the route. Anything that is not cached or not valid
 * falls back to the route.
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
        etag: etagOf(presetEtag(preset)),
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

/**
 * The preset if it is cached and the caller may read it; undefined leaves the rest to the route.
 */
function cachedPreset(caller: Caller, slug: string, reader: PresetReader): Preset | undefined {
  try {
    const preset = reader.get({ caller, slug, workspaceId: undefined });
    if (!(preset instanceof Promise)) return preset;
    // The route joins the same load and reports its error.
    preset.catch(() => {});
  } catch {
    // The route reports the error.
  }
  return undefined;
}
