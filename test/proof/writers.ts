import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { dialects } from '../../src/core/presets/preset.ts';
import { createRandom, type Random } from '../support/random.ts';
import type { EntryResponse, Journal } from './journal.ts';
import { type Operation, type PresetdObject, renamedSlug, requestOf } from './operation.ts';

export interface Target {
  /**
   * Called before every request: a restarted server may have another URL. Undefined while no server
   * runs.
   */
  readonly url: () => string | undefined;
  /** A management key, which can also read the audit log. */
  readonly key: string;
}

export interface WriterOptions {
  readonly writers?: number;
  readonly presets?: number;
  readonly seed?: number;
  /** Share of creates that have an Idempotency-Key and are retried until acknowledged. */
  readonly retriedPercent?: number;
  /** A request without a response is aborted after this time. */
  readonly timeoutMs?: number;
  /** How long a writer waits after a request whose result is unknown. */
  readonly pauseMs?: number;
  /** False for servers of 0.6.0, which know no aliases, tags, test cases or `presetd` object. */
  readonly useNewFeatures?: boolean;
}

export interface Writers {
  /** Waits for in-flight requests and records them. */
  stop(): Promise<void>;
}

/** Starts writers that change a few presets concurrently and record every response. */
export function startWriters(target: Target, journal: Journal, options: WriterOptions = {}): Writers {
  const {
    writers = 8,
    presets = 12,
    seed = 1,
    retriedPercent = 30,
    timeoutMs = 15_000,
    pauseMs = 5,
    useNewFeatures = true,
  } = options;
  let isStopping = false;
  const latest = new Map<string, number>();

  async function write(random: Random): Promise<void> {
    while (!isStopping) {
      const slug = `preset-${random.below(presets)}`;
      const number = journal.nextNumber();
      const operation =
        useNewFeatures && random.below(100) < 16
          ? random.below(2) === 0
            ? randomName(random, slug)
            : randomWork(random, number)
          : randomOperation(random, number, latest.get(slug) ?? 1, useNewFeatures);
      const key =
        operation.kind === 'create' && random.below(100) < retriedPercent ? randomUUID() : undefined;
      await attempt(slug, operation, key);
    }
  }

  async function attempt(
    slug: string,
    operation: Operation,
    idempotencyKey: string | undefined,
  ): Promise<void> {
    const sentAt = performance.now();
    let mayHaveHappened = false;
    do {
      const outcome = await send(target, slug, operation, idempotencyKey, timeoutMs);
      if (typeof outcome === 'object') {
        if (operation.kind === 'create')
          latest.set(slug, Math.max(latest.get(slug) ?? 1, versionIn(outcome.text)));
        return journal.record({ slug, operation, sentAt, response: outcome });
      }
      if (outcome === 'rejected') {
        journal.counts.rejected += 1;
        break;
      }
      if (outcome.startsWith('unexpected'))
        journal.unexpectedResponses.push(`${operation.kind} of ${slug}: ${outcome}`);
      if (outcome !== 'not sent') mayHaveHappened = true;
      await delay(pauseMs);
    } while (idempotencyKey !== undefined && !isStopping);
    if (mayHaveHappened) journal.record({ slug, operation, sentAt, response: undefined });
  }

  const running = Array.from({ length: writers }, (_, index) => write(createRandom(seed * 1_000 + index)));
  return {
    async stop() {
      isStopping = true;
      await Promise.all(running);
    },
  };
}

type Outcome = EntryResponse | 'rejected' | 'unknown' | 'not sent' | `unexpected ${string}`;

async function send(
  { url, key }: Target,
  slug: string,
  operation: Operation,
  idempotencyKey: string | undefined,
  timeoutMs: number,
): Promise<Outcome> {
  const { method, path, body } = requestOf(slug, operation);
  const origin = url();
  if (origin === undefined) return 'not sent';
  try {
    const response = await fetch(origin + path, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(timeoutMs),
    });
    const text = await response.text();
    const { status, headers } = response;
    const revision = /\.(\d+)"$/.exec(headers.get('etag') ?? '')?.[1];
    if (status === 200 && revision !== undefined)
      return { at: performance.now(), text, revision: Number(revision) };
    // The preset does not exist yet, or is archived.
    if (status === 404 || status === 409) return 'rejected';
    // presetd or the balancer does not know whether the change was made.
    if (status === 502 || status === 503 || status === 504) return 'unknown';
    return `unexpected ${status}: ${text.slice(0, 300)}`;
  } catch (error) {
    return causeCode(error) === 'ECONNREFUSED' ? 'not sent' : 'unknown';
  }
}

/** Requests keep using the first slug, which is an alias half of the time. */
function randomName(random: Random, slug: string): Operation {
  const alias = `${slug}-${random.pick(['a', 'b'])}`;
  const kind = random.pick(['add-alias', 'remove-alias', 'edit'] as const);
  if (kind !== 'edit') return { kind, alias };
  return { kind, changes: { slug: random.pick([slug, renamedSlug(slug)]) } };
}

/** Test cases, of which a preset has a few, and the draft that all writers share. */
function randomWork(random: Random, number: number): Operation {
  const name = `Case ${random.below(3)} 🙂`;
  const chance = random.below(10);
  if (chance < 4) return { kind: 'save-draft', text: `{"draft": ${number}, “unfinished”` };
  if (chance < 5) return { kind: 'remove-case', name };
  const content = {
    variables: { number, customer: 'Grüße' },
    messages: [{ role: 'user', content: `Question ${number}` }],
    note: random.below(2) === 0 ? null : `Note ${number}`,
  };
  return { kind: 'save-case', name, content };
}

function randomOperation(
  random: Random,
  number: number,
  latestVersion: number,
  useNewFeatures: boolean,
): Operation {
  const version = 1 + random.below(latestVersion);
  const label = random.pick(['production', 'staging', 'canary']);
  const chance = random.below(100);
  if (chance < 50) return randomCreate(random, number, useNewFeatures);
  // The number makes each change distinguishable from all others.
  if (chance < 65)
    return { kind: 'edit', changes: { description: `Change ${number}`, designated_version: version } };
  if (chance < 85) return { kind: 'move-label', label, version };
  if (chance < 88) return { kind: 'remove-label', label };
  if (chance < 91)
    return {
      kind: 'edit',
      changes: { name: `Name ${number}`, ...(useNewFeatures && { tags: [`tag-${number}`, 'changed'] }) },
    };
  if (chance < 93) return { kind: 'edit', changes: { status: 'disabled' } };
  if (chance < 96) return { kind: 'edit', changes: { status: 'active' } };
  return { kind: chance < 97 ? 'archive' : 'restore' };
}

function randomCreate(random: Random, number: number, useNewFeatures: boolean): Operation {
  // Sometimes longer than a database page of either engine.
  const length = random.below(10) === 0 ? 12_000 : random.below(300);
  return {
    kind: 'create',
    dialect: random.pick(dialects),
    config: {
      model: random.pick(['openai/gpt-5', 'anthropic/claude-opus-4.5']),
      temperature: random.below(100) / 100,
      ...(random.below(3) === 0 && { top_p: random.below(100) / 100 }),
    },
    prompt: `Version by request ${number}. ${'Grüße, “quoted” \\ 🙂\n'.repeat(length / 20)}`,
    ...(useNewFeatures && random.below(3) === 0 && { presetd: randomPresetd(random, number) }),
  };
}

function randomPresetd(random: Random, number: number): PresetdObject {
  return {
    note: `Note “${number}” 🙂`,
    ...(random.below(2) === 0 && { policy: { limits: { max_tokens: 1 + random.below(1_000) } } }),
    ...(random.below(2) === 0 && { designate: false }),
  };
}

function versionIn(text: string): number {
  return (JSON.parse(text) as { data: { designated_version: { version: number } } }).data.designated_version
    .version;
}

function causeCode(error: unknown): unknown {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error && 'code' in cause ? cause.code : undefined;
}
