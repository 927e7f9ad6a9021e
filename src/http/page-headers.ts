import { noSniff } from './common-headers.ts';

/** What a browser is told of every page: what it may load, and that no other page has a hand in it. */
export function pageHeaders(policy: readonly string[]): Readonly<Record<string, string>> {
  return {
    'content-security-policy': [...policy, ...always].join('; '),
    ...noSniff,
    'x-frame-options': 'DENY',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
  };
}

const always = ["base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"];
