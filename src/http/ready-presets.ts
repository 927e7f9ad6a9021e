import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Authenticator, Caller } from '../core/authenticate.ts';
import { presetTag } from '../core/precondition.ts';
import type { Preset } from '../core/preset.ts';
import type { PresetReader } from '../core/read-presets.ts';
import { secretHashOf } from './authentication.ts';
import { commonHeaders, requestIdOf } from './common-headers.ts';
import { etagOf, readCacheControl } from './conditional.ts';
import { rememberedResponse } from './preset-response.ts';
import type { RequestLog } from './request-log.ts';

/** A slug that says what it means, and nothing after it. */
const plainPath = /^\/api\/v1\/presets\/([^/?%]+)$/;

/**
 * Reads of presets are asked more often than anything else, and most of them need nothing that is not in memory: these
 * are answered before the framework and without its cost. The answer is the one of the route; what cannot be
 * answered at once, and everything that is wrong, goes on to the route.
 */
export function createReadyPresets(
  authenticator: Authenticator,
  reader: PresetReader,
  logRequest: RequestLog,
): (request: IncomingMessage, response: ServerResponse) => boolean {
  return (request, response) => {
    const startedAt = performance.now();
    const ready = readyPreset(request, authenticator, reader);
    if (ready === undefined) return false;
    const { caller, preset } = ready;
    const id = requestIdOf(request.headers);
    const { text, bytes } = rememberedResponse(preset);
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
  };
}

function readyPreset(
  { headers, method, socket, url = '' }: IncomingMessage,
  authenticator: Authenticator,
  reader: PresetReader,
): { readonly caller: Caller; readonly preset: Preset } | undefined {
  if (method !== 'GET' || headers['if-none-match'] !== undefined) return undefined;
  const slug = plainPath.exec(url)?.[1];
  if (slug === undefined) return undefined;
  try {
    const caller = authenticator.authenticate(secretHashOf(socket, headers));
    if (caller instanceof Promise) return leave(caller);
    const preset = reader.get({ caller, slug, workspaceId: undefined });
    if (preset instanceof Promise) return leave(preset);
    return { caller, preset };
  } catch {
    return undefined;
  }
}

/** The route asks the same in the same moment and gets the same answer, be it an error. */
function leave(answer: Promise<unknown>): undefined {
  answer.catch(() => {});
}
