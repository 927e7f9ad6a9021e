/** Upstreams of chat completions report the usage of a stream only if the request asks for it. */

import { isJsonObject, type JsonObject } from '../../core/json/json-object.ts';
import { parseJsonObject } from '../../core/json/loose-json.ts';
import { dataLines } from '../../dialects/model/server-sent-events.ts';
import type { Candidate } from '../plan/router.ts';
import { kinds } from '../upstreams/upstream-kinds.ts';

/**
 * The body of a request that asks for usage, where it did not; undefined if it asks already, or the
 * upstream reports usage in any case.
 */
export function askForStreamUsage(
  body: JsonObject,
  { dialect, upstream }: Candidate,
): JsonObject | undefined {
  if (dialect !== 'chat-completions' || body.stream !== true || upstream.kind === 'openrouter')
    return undefined;
  const options = isJsonObject(body.stream_options) ? body.stream_options : {};
  if (options.include_usage === true) return undefined;
  if (kinds[upstream.kind].quirks?.[dialect].rejected.has('stream_options')) return undefined;
  return { ...body, stream_options: { ...options, include_usage: true } };
}

/**
 * Removes the event that has only usage, for a client that did not ask for it: some read the first
 * choice of every event.
 */
export function removeUsageEvents(lines: Buffer): Buffer {
  if (!lines.includes('"usage"')) return lines;
  const events = lines.toString('utf8').split(/(?<=\n\r?\n)/);
  const kept = events.filter((event) => !hasOnlyUsage(event));
  return kept.length === events.length ? lines : Buffer.from(kept.join(''));
}

function hasOnlyUsage(event: string): boolean {
  if (!event.includes('"usage"')) return false;
  const { choices, usage } = parseJsonObject(dataLines(event).join('\n')) ?? {};
  return Array.isArray(choices) && choices.length === 0 && isJsonObject(usage);
}
