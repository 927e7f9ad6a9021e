import type { UpstreamKind } from './upstreams/upstream.ts';

/** Anthropic expects its key in `x-api-key`, everyone else in `authorization`. */
export function authHeader(kind: UpstreamKind, secret: string): Record<string, string> {
  return kind === 'anthropic' ? { 'x-api-key': secret } : { authorization: `Bearer ${secret}` };
}

/** Anthropic requires a version. This has been the only one for years. */
export const defaultAnthropicVersion = { 'anthropic-version': '2023-06-01' };
