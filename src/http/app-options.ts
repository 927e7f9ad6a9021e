import type { FastifyBaseLogger } from 'fastify';
import type { Clock } from '../core/clock.ts';
import type { ContentMemory } from '../core/content-log/content-memory.ts';
import type { WindowCount } from '../core/fixed-window-counter.ts';
import type { LastUseRecorder } from '../core/last-use-recorder.ts';
import type { PriceCall } from '../core/ledger/reprice.ts';
import type { Measurements } from '../core/measurements.ts';
import type { Authenticator } from '../core/organization/authenticate.ts';
import type { PresetCache } from '../core/presets/preset-cache.ts';
import type { Storage } from '../core/storage.ts';
import type { Gateway } from '../gateway/gateway.ts';
import type { EndedCall } from '../gateway/ledger/record-of-call.ts';
import type { ModelList } from '../gateway/models/model-list.ts';
import type { SignInProviders } from '../sign-in/providers.ts';
import type { FailedAuthentications } from './overload/failed-authentications.ts';
import type { MetricsPage } from './routes/metrics.ts';

/** The settings of the HTTP application, under the names of the server's config. */
interface AppSettings {
  /** The largest request body, except on routes with a limit of their own. */
  readonly bodyBytesMax: number;
  /** API requests in flight at once, model calls not counted; 0 turns load shedding off. */
  readonly requestsInFlightMax: number;
  /** How long a client may take to send headers, or pause reading a response. */
  readonly clientTimeoutMs: number;
  /** Requests per key; 0 means no limit. */
  readonly rateLimitPerMinute: number;
  /** Addresses and ranges whose X-Forwarded-For is trusted. */
  readonly trustedProxies: readonly string[];
  /** Where browsers reach the server; undefined if it is not configured. */
  readonly publicUrl: URL | undefined;
  /** How many days single calls are stored. */
  readonly usageRetentionDays: number;
  /** Sessions end when they have not been used for this long. */
  readonly sessionIdleMs: number;
  /** Sessions end after this time, however often they are used. */
  readonly sessionMaxMs: number;
  /** Origins of web pages that may call the API; `*` means all. */
  readonly corsOrigins: readonly string[];
  /** Undefined if the metrics are not served on the API's port. */
  readonly metricsToken: string | undefined;
  /** Tokens that give access to SCIM; it is off if there are none. */
  readonly scimTokens: readonly string[];
  /** Undefined unless metrics have their own port. */
  readonly metricsPort: number | undefined;
}

/** Passed to `buildApp` by the composition root. */
export interface AppOptions extends AppSettings {
  /** Aborts when shutdown begins. From then on every response closes its connection. */
  readonly closing: AbortSignal;
  readonly storage: Storage;
  readonly presetCache: PresetCache;
  /** Calls of presets that are not stored yet. */
  readonly presetUses: Pick<LastUseRecorder, 'unstoredUse'>;
  readonly gateway: Gateway;
  /** Takes a call into the records of usage. Must not block. */
  readonly recordCall: (ended: EndedCall) => void;
  readonly recordContent: (ended: EndedCall) => void;
  /** Undefined if the content of calls is not logged. */
  readonly contentMemory: ContentMemory | undefined;
  /** How calls are priced by the upstream file as it is now. */
  readonly callPricing: () => PriceCall;
  readonly models: ModelList;
  readonly authenticator: Authenticator;
  readonly clock: Clock;
  readonly logger: FastifyBaseLogger;
  /** Counts requests for all workers; undefined if this process counts by itself. */
  readonly countRequest: ((keyId: string) => Promise<WindowCount>) | undefined;
  /** Created by the composition root, because workers share failures. */
  readonly failures: FailedAuthentications;
  readonly providers: SignInProviders;
  readonly version: string;
  /** The build output of the dashboard; may not exist. */
  readonly dashboardFolder: string;
  readonly metrics: Measurements;
  readonly metricsPage: MetricsPage;
}
