import type { UpstreamKind } from './upstreams/upstream.ts';

/** Anthropic's own API knows keys by another header. */
export function authHeader(kind: UpstreamKind, secret: string): Record<string, string> {
  return kind === 'anthropic' ? { 'x-api-key': secret } : { authorization: `Bearer ${secret}` };
}

/** For clients that do not say which version of Anthropic's API they speak; there has been one for years. */
export const defaultAnthropicVersion = { 'anthropic-version': '2023-06-01' };
