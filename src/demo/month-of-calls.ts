import { type CallError, upstreamError } from '../core/ledger/call-error.ts';
import type { CallGroup } from '../core/ledger/call-group.ts';
import { type CallRecord, firstIdAt } from '../core/ledger/call-record.ts';
import { costOf, type TokenCounts } from '../core/ledger/price.ts';
import { type OfflineModel, offlineModels, upstreamOf } from './offline-models.ts';
import { type PresetStory, type SavedVersion, versionsOf } from './preset-story.ts';

/**
 * The calls of the last 30 days in `presetd demo`. No model has answered them: tokens, times and
 * errors follow from the preset and its version at that time, and from chance, which is the same
 * for the same time.
 */

/** A key that calls a preset. */
interface CallSource {
  readonly ids: Pick<CallGroup, 'organizationId' | 'workspaceId' | 'keyId' | 'userId' | 'presetId'>;
  readonly preset: PresetStory;
  /** Null for the live version. */
  readonly label: string | null;
  /** On a working day of an average week. */
  readonly callsPerDay: number;
  readonly rhythm: Rhythm;
  readonly isStreamed: boolean;
}

/** When calls come: while people work, while they shop, or from a job at night. */
export type Rhythm = 'office' | 'shop' | 'night';

/** The share of a day's calls in each hour, UTC, and how many there are at weekends. */
const rhythms: Readonly<Record<Rhythm, { readonly hours: readonly number[]; readonly weekend: number }>> = {
  office: {
    hours: shares('0 0 0 0 0 0 1 4 9 11 11 10 7 10 11 11 8 4 2 1 0 0 0 0'),
    weekend: 0.08,
  },
  shop: {
    hours: shares('2 1 1 0 0 1 2 3 4 5 5 6 6 5 5 5 6 7 9 10 9 6 4 3'),
    weekend: 1.2,
  },
  night: { hours: shares('0 6 9 4 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0'), weekend: 1 },
};

function shares(weights: string): readonly number[] {
  const numbers = weights.split(' ').map(Number);
  const total = numbers.reduce((sum, number) => sum + number, 0);
  return numbers.map((number) => number / total);
}

const days = 30;
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** The demo gets busier: its last week has a quarter more calls than the first one. */
const growth = 0.25;

export function callsFrom(source: CallSource, now: Date): readonly CallRecord[] {
  const { preset, label, callsPerDay, rhythm, isStreamed, ids } = source;
  const random = randomFrom(`${preset.slug} ${label} ${callsPerDay}`);
  const versions = versionsOf(preset, now);
  const { hours, weekend } = rhythms[rhythm];
  const end = now.getTime();
  // As Usage counts its last 30 days: a few hours before them would be a period to compare with.
  const start = end - (end % dayMs) - (days - 1) * dayMs;
  const calls: CallRecord[] = [];
  for (let hour = start - (start % hourMs); hour <= end; hour += hourMs) {
    const date = new Date(hour);
    const share = (hours[date.getUTCHours()] ?? 0) * (date.getUTCDay() % 6 === 0 ? weekend : 1);
    const trend = 1 + growth * ((hour - start) / (end - start) - 0.5);
    const count = Math.floor(callsPerDay * share * trend + random());
    for (let call = 0; call < count; call += 1) {
      const at = hour + random() * hourMs;
      const version = at >= start && at < end ? versionAt(versions, source, at) : undefined;
      if (version === undefined) continue;
      const selection = label === null ? 'live' : 'label';
      const chosen = { ...ids, version: version.number, selection, label, purpose: 'call' } as const;
      calls.push(callAt(at, { preset, version, chosen, isStreamed, random }));
    }
  }
  return calls;
}

/** The version that is live or has the label at this time; undefined if there is none yet. */
function versionAt(
  versions: readonly SavedVersion[],
  { preset, label }: CallSource,
  at: number,
): SavedVersion | undefined {
  const wanted = label === null ? undefined : preset.labels?.[label];
  return versions.findLast(
    ({ number, savedAt, isStaged }) =>
      savedAt.getTime() <= at && (label === null ? !isStaged : number === wanted),
  );
}

/** People try a version in the workbench in the hour before they save it. */
export function runsBefore(
  preset: PresetStory,
  version: SavedVersion,
  ids: Pick<CallGroup, 'organizationId' | 'workspaceId' | 'userId'>,
): readonly CallRecord[] {
  const random = randomFrom(`${preset.slug} ${version.number}`);
  const chosen = { ...ids, keyId: null, presetId: null, version: null, label: null } as const;
  const draft = { ...chosen, selection: 'draft', purpose: 'workbench' } as const;
  return Array.from({ length: 3 + Math.floor(random() * 9) }, () => {
    const at = version.savedAt.getTime() - random() * hourMs;
    return callAt(at, { preset, version, chosen: draft, isStreamed: true, random });
  });
}

interface Call {
  readonly preset: PresetStory;
  readonly version: SavedVersion;
  readonly chosen: Omit<CallGroup, 'presetSlug' | 'model' | 'upstream' | 'dialect' | 'status'>;
  readonly isStreamed: boolean;
  readonly random: Random;
}

/** The share of calls that lack a required variable. */
const invalidShare = 0.003;

function callAt(at: number, { preset, version, chosen, isStreamed, random }: Call): CallRecord {
  const model = modelOf(version);
  const isInvalid = random() < invalidShare;
  const hasFailed = !isInvalid && random() < model.errorRate;
  const upstream = upstreamOf(model.id);
  const failed = hasFailed ? upstreamFailures[Math.floor(random() * upstreamFailures.length)] : undefined;
  const { status, errorCode, errorMessage } = isInvalid
    ? invalidVariable(`${preset.slug}@${chosen.version ?? 'draft'}`, version)
    : (failed?.(upstream) ?? success);
  const isAnswered = status === 200;
  const tokens = isAnswered ? tokensOf(preset, version, random) : noTokens;
  const presetdMs = 0.4 + random() * 1.6;
  const thinkMs = model.firstTokenMs * spread(0.25, random) + msOf(tokens.reasoning ?? 0, model);
  const writeMs = msOf((tokens.output ?? 0) - (tokens.reasoning ?? 0), model) * spread(0.15, random);
  const nanos = model.pricePerMillion === undefined ? null : (costOf(tokens, model.pricePerMillion) ?? null);
  return {
    id: idAt(at, random),
    group: {
      ...chosen,
      presetSlug: preset.slug,
      model: isInvalid ? null : model.id,
      upstream: isInvalid ? null : upstream,
      dialect: preset.dialect ?? 'chat-completions',
      status,
    },
    requestedModel: null,
    requestedPreset: null,
    errorCode,
    errorMessage,
    respondingModel: isAnswered ? model.id : null,
    upstreamId: null,
    finishReason: isAnswered ? 'stop' : null,
    tokens,
    isEstimated: false,
    cost: isAnswered
      ? { nanos, source: nanos === null ? null : 'upstream', price: null }
      : { nanos: 0, source: 'free', price: null },
    firstTokenMs: isAnswered && isStreamed ? presetdMs + thinkMs : null,
    totalMs: isInvalid ? presetdMs + 1 : presetdMs + thinkMs + writeMs,
    presetdMs,
    isStreamed: isAnswered && isStreamed,
    fallbacks: [],
    sessionId: null,
    endUser: null,
    appTitle: null,
    referer: null,
  };
}

type Failure = Pick<CallRecord, 'errorCode' | 'errorMessage'> & { readonly status: number };

const success: Failure = { status: 200, errorCode: null, errorMessage: null };

/** How calls fail that an upstream got, and what the gateway says about it. */
const upstreamFailures: readonly ((upstream: string) => Failure)[] = [
  (upstream) => failure(429, upstreamError(upstream, 429, 'rate_limit_exceeded')),
  (upstream) => failure(503, upstreamError(upstream, 503, 'overloaded')),
  (upstream) =>
    failure(502, {
      code: 'upstream_interrupted',
      message: `The upstream "${upstream}" ended its response before it was complete.`,
    }),
  (upstream) =>
    failure(504, {
      code: 'upstream_timeout',
      message: `The upstream "${upstream}" did not start its response within 60000 ms.`,
    }),
];

function failure(status: number, { code, message }: CallError): Failure {
  return { status, errorCode: code, errorMessage: message };
}

/** A call with a variable too few, or with one that the preset does not have. */
function invalidVariable(name: string, { request }: SavedVersion): Failure {
  const { variables = {} } = request.presetd as { variables?: Readonly<Record<string, object>> };
  const required = Object.keys(variables).find((name) => !('default' in (variables[name] ?? {})));
  if (required !== undefined) {
    const message = `${name} needs the variable ${required}: send it in \`prompt.variables\`.`;
    return failure(400, { code: 'missing_variable', message });
  }
  const message = 'The request body is not valid: /prompt/variables/locale is not a variable of the preset.';
  return failure(400, { code: 'invalid_variable', message });
}

function modelOf({ request }: SavedVersion): OfflineModel {
  const model = offlineModels.find(({ id }) => id === request.model);
  if (model === undefined) throw new Error(`The demo has no model ${request.model}.`);
  return model;
}

function msOf(tokens: number, { tokensPerSecond }: OfflineModel): number {
  return (tokens / tokensPerSecond) * 1_000;
}

const noTokens: TokenCounts = { input: null, cached: null, cacheWrite: null, output: null, reasoning: null };

/** Tokens of reasoning by effort. Some models reason by default. */
const reasoningTokens: Readonly<Record<string, number>> = {
  none: 0,
  minimal: 0,
  low: 90,
  medium: 420,
  high: 1_100,
};

function tokensOf(preset: PresetStory, { request }: SavedVersion, random: Random): TokenCounts {
  const prompt = Math.ceil(JSON.stringify(request).length / 4);
  const { effort } = (request.reasoning ?? { effort: request.reasoning_effort }) as { effort?: string };
  const isReasoning = String(request.model).startsWith('openai/');
  const thought = effort === undefined ? (isReasoning ? 160 : 0) : (reasoningTokens[effort] ?? 0);
  const reasoning = Math.round(thought * spread(0.4, random));
  const text = Math.round((50 + (hash(preset.slug) % 200)) * spread(0.35, random));
  return {
    input: prompt + Math.round(140 * spread(0.6, random)),
    cached: random() < 0.4 ? prompt : 0,
    cacheWrite: 0,
    output: text + reasoning,
    reasoning,
  };
}

type Random = () => number;

/** A factor around 1. Most are close to it, and few are very large. */
function spread(deviation: number, random: Random): number {
  const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  return Math.exp(deviation * normal);
}

/** The generator Mulberry32: small, fast and random enough. */
function randomFrom(seed: string): Random {
  let state = hash(seed);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

function hash(text: string): number {
  return [...text].reduce((sum, character) => (Math.imul(sum, 31) + character.charCodeAt(0)) >>> 0, 7);
}

/** A UUIDv7 of this time. */
function idAt(ms: number, random: Random): string {
  const digits = (count: number) =>
    Math.floor(random() * 16 ** count)
      .toString(16)
      .padStart(count, '0');
  return `${firstIdAt(Math.floor(ms)).slice(0, 14)}7${digits(3)}-8${digits(3)}-${digits(12)}`;
}
