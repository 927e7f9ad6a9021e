import type { Actor } from '../organization/actor.ts';
import type { OrganizationEvent } from '../organization/organization-event.ts';
import type { CallRecord, Cost } from './call-record.ts';
import type { TokenCounts } from './price.ts';
import type { CallSums, CostChange } from './rollup.ts';
import type { FilterOperator, Granularity, UsageDimensionName, UsageMetricName } from './usage-catalog.ts';
import type { HourRange } from './usage-periods.ts';

/** The port for the records of calls. `core/storage.ts` says what holds for every method. */
export interface LedgerStore {
  /**
   * Stores calls and counts them, once: calls of a batch that is stored already are not stored
   * again. With `keepsCalls` false, they are only counted.
   */
  write(batch: CallBatch, keepsCalls: boolean): Promise<void>;
  /** Deletes calls with smaller ids and their feedback, at most so many; returns their number. */
  deleteCallsBefore(id: string, limit: number): Promise<number>;
  /** Forgets which batches with smaller ids are stored. */
  deleteBatchesBefore(id: string): Promise<void>;
  /** Finds a call by its id; undefined if there is none in the scope. */
  find(scope: CallScope, id: string): Promise<StoredCall | undefined>;
  /** Finds the latest call whose response has this upstream id; undefined if there is none. */
  findByUpstreamId(scope: CallScope, upstreamId: string): Promise<StoredCall | undefined>;
  /** Stores what somebody reports about a call, in place of what they reported before. */
  addFeedback(feedback: StoredFeedback): Promise<void>;
  /** Lists calls, newest first. */
  list(scope: CallScope, page: CallPage): Promise<FoundCalls>;
  /** Lists calls of an organization by their ids, with what their cost depends on. */
  listCounted(organizationId: string, page: CountedPage): Promise<readonly CountedCall[]>;
  /**
   * Replaces the costs of calls, and corrects the sums by the difference. Leaves out calls that are
   * gone, or whose cost is not what it was when they were listed. Returns the changes made.
   */
  changeCosts(changes: readonly CountedCostChange[]): Promise<readonly CountedCostChange[]>;
  /** Stores the event of a correction that is about to begin. */
  recordRepricing(organizationId: string, actor: Actor, at: string, event: OrganizationEvent): Promise<void>;
  /**
   * The sums and quantiles of calls, a row for each period and combination of dimensions. Throws
   * `invalid_request` if there are more than `reportRowsMax`.
   */
  report(scope: CallScope, report: UsageReport): Promise<readonly UsageRow[]>;
  /** The names of ids, where they are known. */
  names(kind: NameKind, ids: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** The presets with these slugs in the workspaces of the scope. */
  findPresets(scope: CallScope, slugs: readonly string[]): Promise<readonly FoundPreset[]>;
}

interface CallBatch {
  readonly id: string;
  readonly calls: readonly CallRecord[];
}

/** The calls that a caller may see. An absent field does not filter. */
export interface CallScope {
  readonly organizationId: string;
  readonly workspaceIds?: readonly string[] | undefined;
  readonly keyId?: string | undefined;
}

/** Feedback on the response to a call. */
export interface Feedback {
  readonly category: string;
  readonly comment: string | null;
}

export interface StoredFeedback extends Feedback {
  readonly callId: string;
  /** A key, or a person in a session. */
  readonly authorId: string;
  readonly createdAt: string;
}

export interface StoredCall extends CallRecord {
  readonly workspaceSlug: string | null;
  /** The current slug of the preset; null if the call named none. */
  readonly currentSlug: string | null;
  readonly keyLabel: string | null;
  readonly keyName: string | null;
  readonly userEmail: string | null;
  /** Oldest first. */
  readonly feedback: readonly Feedback[];
}

export interface CallPage {
  readonly filters: readonly UsageFilter[];
  /** Inclusive. */
  readonly fromId: string;
  /** Exclusive. */
  readonly beforeId: string;
  readonly limit: number;
  /** About how many calls are searched for values that are not counted, such as the session. */
  readonly searchMax: number;
}

export interface FoundCalls {
  readonly calls: readonly StoredCall[];
  /** If the search ended before the page was full, calls with smaller ids were not searched. */
  readonly searchedTo: string | null;
}

interface CountedPage {
  /** Exclusive, both. */
  readonly afterId: string;
  readonly beforeId: string;
  readonly limit: number;
}

/** A stored call, as far as its cost depends on it. */
export interface CountedCall {
  readonly id: string;
  /** The number of its group. */
  readonly groupId: number;
  readonly model: string | null;
  readonly upstream: string | null;
  readonly dialect: string;
  readonly respondingModel: string | null;
  readonly tokens: TokenCounts;
  readonly cost: Cost;
}

export interface CountedCostChange extends CostChange {
  readonly call: CountedCall;
}

export interface UsageFilter {
  readonly dimension: UsageDimensionName;
  readonly operator: FilterOperator;
  readonly values: readonly (string | number)[];
  /** Whether calls without a value meet the condition. */
  readonly includesUnset: boolean;
}

export interface UsageReport {
  readonly metrics: readonly UsageMetricName[];
  readonly dimensions: readonly UsageDimensionName[];
  readonly filters: readonly UsageFilter[];
  readonly range: HourRange;
  /** The length of the periods that group calls; undefined for one that is the whole range. */
  readonly granularity: Granularity | undefined;
}

/** Bounds the memory of a report. */
export const reportRowsMax = 50_000;

export type DimensionValue = string | number | null;

export interface UsageRow extends CallSums {
  /** Where it starts, in hours since 1970. */
  readonly period: number;
  readonly dimensions: readonly DimensionValue[];
  readonly errorCalls: number;
  /** Calls that failed and cost nothing. */
  readonly freeErrorCalls: number;
  /** As `durations.ts` writes them; empty unless the report asks for quantiles. */
  readonly durations: string;
  readonly firstTokenDurations: string;
}

interface FoundPreset {
  readonly id: string;
  readonly slug: string;
}

export type NameKind = 'keys' | 'presets' | 'users' | 'workspaces';
