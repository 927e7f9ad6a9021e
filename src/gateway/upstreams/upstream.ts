import type { Dialect } from '../../core/preset.ts';

/** What kind of API an upstream has: which fields it takes, how it wants its key, and what it does by itself. */
export type UpstreamKind = 'openrouter' | 'openai' | 'anthropic' | 'openai-compatible';

export const upstreamKinds: readonly UpstreamKind[] = [
  'openrouter',
  'openai',
  'anthropic',
  'openai-compatible',
];

/** A place that requests are forwarded to, as the operator configured it. */
export interface Upstream {
  readonly name: string;
  readonly kind: UpstreamKind;
  /** Without a slash at its end; the path of the dialect follows it. */
  readonly baseUrl: string;
  readonly dialects: readonly Dialect[];
  /** Undefined where the upstream wants none; without a secret where the variable is not set. */
  readonly key: UpstreamKey | undefined;
  /** Patterns of the models that it has, such as `anthropic/*`; a star stands for any text. */
  readonly models: readonly string[];
  /** Taken from the front of the name of a model before it is sent; empty where names are sent as they are. */
  readonly stripPrefix: string;
  /** Sent with every request, beside what presetd itself sends. */
  readonly headers: Readonly<Record<string, string>>;
  readonly timeouts: UpstreamTimeouts;
  /** How many requests it is sent at once; undefined is no limit. */
  readonly concurrencyMax: number | undefined;
  /** How many more may wait for their turn; those after them are turned away. */
  readonly queueMax: number;
}

export interface UpstreamKey {
  readonly variable: string;
  readonly secret: string | undefined;
}

export interface UpstreamTimeouts {
  readonly connectMs: number;
  /** From the moment a request is ready until the first byte of the body of its answer, waiting for a turn included. */
  readonly firstByteMs: number;
  /** Between two pieces of an answer, and for a client that does not take them. */
  readonly idleMs: number;
  readonly totalMs: number;
}

export interface GatewaySettings {
  /** In the order in which they are asked whether they have a model. Names are unique. */
  readonly upstreams: readonly Upstream[];
  /** How many upstream calls one request may lead to. */
  readonly attemptsMax: number;
}
