import type { IncomingHttpHeaders } from 'node:http';
import type { UpstreamKind } from './upstreams/upstream.ts';

const tracing = ['traceparent', 'tracestate'];
const anthropic = ['anthropic-beta', 'anthropic-version'];

/** What a client says to the upstream, and not to presetd. Nothing else of it is passed on, least of all its key. */
const forwarded: Readonly<Record<UpstreamKind, ReadonlySet<string>>> = {
  openrouter: new Set([
    ...tracing,
    'http-referer',
    'x-title',
    'x-session-id',
    ...anthropic,
    'x-anthropic-beta',
  ]),
  openai: new Set([...tracing, 'openai-beta', 'x-client-request-id']),
  anthropic: new Set([...tracing, ...anthropic]),
  'openai-compatible': new Set([...tracing, ...anthropic]),
};

export function forwardedHeaders(
  kind: UpstreamKind,
  headers: IncomingHttpHeaders,
  /** What the operator has set is not for clients to say. */
  configured: ReadonlySet<string>,
): string[] {
  const passed: string[] = [];
  for (const name in headers) {
    const value = headers[name];
    if (isForwarded(kind, name) && typeof value === 'string' && !configured.has(name))
      passed.push(name, value);
  }
  return passed;
}

export function isForwarded(kind: UpstreamKind, name: string): boolean {
  return forwarded[kind].has(name) || (kind === 'openrouter' && name.startsWith('x-openrouter-'));
}
