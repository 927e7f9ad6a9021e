import type { Dialect } from './preset.ts';

/** What is counted and timed while the server works. Telling costs a microsecond at most. */
export interface Measurements {
  /** Once for every request to the gateway, when its status is known. */
  gatewayRequest(request: MeasuredRequest): void;
  /** What presetd itself added to a request, without the time that it waited for others. */
  overhead(seconds: number): void;
  /** Once for every call of an upstream that came to an end. */
  upstreamTime(call: MeasuredCall): void;
  /** What an upstream said it has taken in and given out; what it did not say is not counted. */
  tokens(usage: MeasuredTokens): void;
  /** An upstream was left for the next one. */
  fallback(fallback: MeasuredFallback): void;
  /** A hit was answered without waiting for where the thing comes from. */
  cache(name: CacheName, isHit: boolean): void;
  /** Once for every request that was not shed, whatever it was about. */
  httpRequest(request: MeasuredHttpRequest): void;
  /** A request was refused because there were too many. */
  shedRequest(): void;
}

export interface MeasuredRequest {
  readonly dialect: Dialect;
  /** The slug of a preset that exists; undefined where the request names none, or none that is there. */
  readonly preset: string | undefined;
  /** The last one that was tried; undefined where it did not come to that. */
  readonly upstream: string | undefined;
  readonly status: number;
}

export interface MeasuredCall {
  readonly upstream: string;
  /** Undefined where none came. */
  readonly firstByteSeconds: number | undefined;
  readonly totalSeconds: number;
}

export interface MeasuredTokens {
  readonly dialect: Dialect;
  readonly preset: string | undefined;
  readonly upstream: string;
  readonly inputTokens?: number | undefined;
  readonly outputTokens?: number | undefined;
}

export interface MeasuredFallback {
  /** The one that was left. */
  readonly upstream: string;
  /** A status, or a word such as `timeout`. */
  readonly reason: string;
}

export const cacheNames = ['keys', 'presets', 'versions', 'models'] as const;
export type CacheName = (typeof cacheNames)[number];

export interface MeasuredHttpRequest {
  readonly method: string;
  /** The pattern of the path; undefined where there is no such route. */
  readonly route: string | undefined;
  readonly status: number;
}
