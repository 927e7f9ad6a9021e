import { noSniff } from './common-headers.ts';

/**
 * Security headers for HTML pages: what the page may load (`policy` is a list of CSP directives),
 * and that no other site may frame or script it.
 */
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

/** No page of ours submits forms, sets a base URL or may be framed. */
const always = ["base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"];
