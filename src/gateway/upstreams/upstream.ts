import type { Price } from '../../core/ledger/price.ts';
import type { Dialect } from '../../core/presets/preset.ts';
import type { Endpoint } from './endpoint.ts';

/** Decides which fields and headers an upstream accepts, by the properties of its kind. */
export type UpstreamKind = (typeof upstreamKinds)[number];

export const upstreamKinds = [
  'openrouter',
  'openai',
  'anthropic',
  'azure-openai',
  'gemini',
  'mistral',
  'groq',
  'together',
  'fireworks',
  'deepseek',
  'xai',
  'ollama',
  'vllm',
  'openai-compatible',
] as const;

/** An API that calls are forwarded to, as the operator configured it. */
export interface Upstream {
  readonly name: string;
  readonly kind: UpstreamKind;
  /** Without a trailing slash. The path of the dialect is appended to it. */
  readonly baseUrl: string;
  readonly dialects: readonly Dialect[];
  /** Endpoints besides those of the dialects. */
  readonly endpoints: readonly Endpoint[];
  /** Undefined if the upstream needs no key; without a secret if the variable is not set. */
  readonly key: UpstreamKey | undefined;
  /** Patterns of the models it serves, such as `anthropic/*`; a star stands for any text. */
  readonly models: readonly string[];
  /** Removed from the front of model names before they are sent. May be empty. */
  readonly stripPrefix: string;
  /** Extra headers for every request; names are lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly timeouts: UpstreamTimeouts;
  /** Maximum number of requests in flight; undefined means no limit. */
  readonly concurrencyMax: number | undefined;
  /** How many more requests may be queued. Beyond that, requests are rejected. */
  readonly queueMax: number;
  /** The first pattern that matches a model has its price. */
  readonly prices: readonly ModelPrice[];
}

interface ModelPrice {
  /** As in `models`. */
  readonly pattern: string;
  readonly price: Price;
}

export interface UpstreamKey {
  readonly variable: string;
  readonly secret: string | undefined;
}

interface UpstreamTimeouts {
  readonly connectMs: number;
  /** From the start of an attempt, including queueing, to the first byte of the response body. */
  readonly firstByteMs: number;
  /** Between two chunks of a response. Also limits how long a client may stop reading. */
  readonly idleMs: number;
  readonly totalMs: number;
}

export interface GatewaySettings {
  /** The first upstream that serves a model gets the request. Names are unique. */
  readonly upstreams: readonly Upstream[];
  /** Maximum number of upstream requests per call. */
  readonly attemptsMax: number;
}

export const baseUrlRule =
  'must be an http or https URL such as https://api.example.com/v1, without credentials, query, fragment or a dialect path such as /chat/completions';

/** Rejects credentials, because dry runs show the URL, and a query, because paths are appended. */
export function isBaseUrl(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || /[@?#]/.test(text)) return false;
  return !/\/(chat\/completions|messages|responses|models)\/*$/.test(url.pathname);
}

/** The path of a dialect, which begins with a slash, can be appended to the result. */
export function trimTrailingSlash(baseUrl: string): string {
  return new URL(baseUrl).href.replace(/\/+$/, '');
}

/**
 * Whether the text can be sent in a header. The longest keys in use are tokens of a few thousand
 * characters.
 */
export function isUpstreamKey(text: string): boolean {
  return /^[\x21-\x7e]{1,8192}$/.test(text);
}

export const upstreamKeyRule = 'must be at most 8192 visible ASCII characters without spaces';
