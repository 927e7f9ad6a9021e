/**
 * Receives the events that metrics are made of. `metrics.ts` implements it with Prometheus
 * counters. Each call takes at most a microsecond, because several happen for every request.
 */
export interface Measurements {
  /** Once per gateway request, when its status is known. */
  gatewayRequest(request: MeasuredRequest): void;
  /** The time that presetd itself added to a request, without waiting for upstreams or clients. */
  overhead(seconds: number): void;
  /** Once per finished call to an upstream. */
  upstreamTime(call: MeasuredCall): void;
  /** The tokens of an exchange that the record of the call has, too. */
  tokens(tokens: MeasuredTokens): void;
  /** A call fell back from one upstream to the next. */
  fallback(fallback: MeasuredFallback): void;
  /** A cache lookup. A hit returned without waiting for the source. */
  cache(name: CacheName, isHit: boolean): void;
  /** Once per HTTP request that was not shed. */
  httpRequest(request: MeasuredHttpRequest): void;
  /** Records of calls were lost, because too many were waiting for the database. */
  droppedCallRecords(count: number): void;
  /** The content of calls was not logged, because too much was waiting. */
  droppedContents(count: number): void;
  /** A request was rejected by load shedding. */
  shedRequest(): void;
}

interface MeasuredRequest {
  /** For a relayed call, its endpoint, such as `embeddings`. */
  readonly dialect: string;
  /**
   * The slug of an existing preset, or `(drafts)`; undefined if the request names none or an
   * unknown one.
   */
  readonly preset: string | undefined;
  /** The last upstream tried; undefined if none was. */
  readonly upstream: string | undefined;
  readonly status: number;
}

interface MeasuredCall {
  readonly upstream: string;
  /** Undefined if no byte arrived. */
  readonly firstByteSeconds: number | undefined;
  readonly totalSeconds: number;
}

interface MeasuredTokens {
  /** For a relayed call, its endpoint, such as `embeddings`. */
  readonly dialect: string;
  readonly preset: string | undefined;
  readonly upstream: string;
  /** Null if they are not known. */
  readonly input: number | null;
  readonly output: number | null;
}

interface MeasuredFallback {
  /** The upstream that failed. */
  readonly upstream: string;
  /** An HTTP status, or a word such as `timeout`. */
  readonly reason: string;
}

export const cacheNames = ['keys', 'presets', 'versions', 'models'] as const;
type CacheName = (typeof cacheNames)[number];

interface MeasuredHttpRequest {
  readonly method: string;
  /** The route pattern; undefined if no route matched. */
  readonly route: string | undefined;
  readonly status: number;
}
