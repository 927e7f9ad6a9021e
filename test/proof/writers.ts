import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { dialects } from '../../src/core/presets/preset.ts';
import { createRandom, type Random } from '../support/random.ts';
import type { EntryAnswer, Journal } from './journal.ts';
import { type Operation, requestOf } from './operation.ts';

export interface Target {
  /** Asked before every request: a server that was started again may be elsewhere. Undefined while there is none. */
  readonly url: () => string | undefined;
  /** A management key: the audit is read with it as well. */
  readonly key: string;
}

export interface WriterOptions {
  readonly writers?: number;
  readonly presets?: number;
  readonly seed?: number;
  /** Of a hundred creates, how many carry an Idempotency-Key and are sent again until they are answered. */
  readonly repeatedPercent?: number;
  /** A request without an answer for that long is given up. */
  readonly timeoutMs?: number;
  /** How long a writer waits after a request of which it does not know what came. */
  readonly pauseMs?: number;
}

export interface Writers {
  /** Lets what is under way come to its end, and notes it. */
  stop(): Promise<void>;
}

/** Several who change a few presets at once, without a pause, and write down what they are answered. */
export function startWriters(target: Target, journal: Journal, options: WriterOptions = {}): Writers {
  const {
    writers = 8,
    presets = 12,
    seed = 1,
    repeatedPercent = 30,
    timeoutMs = 15_000,
    pauseMs = 5,
  } = options;
  let isStopping = false;
  const latest = new Map<string, number>();

  async function write(random: Random): Promise<void> {
    while (!isStopping) {
      const slug = `preset-${random.below(presets)}`;
      const operation = randomWish(random, journal.nextNumber(), latest.get(slug) ?? 1);
      const key =
        operation.kind === 'create' && random.below(100) < repeatedPercent ? randomUUID() : undefined;
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
        if (operation.kind === 'create') latest.set(slug, versionIn(outcome.text));
        return journal.note({ slug, operation, sentAt, answer: outcome });
      }
      if (outcome === 'turned down') {
        journal.counts.turnedDown += 1;
        break;
      }
      if (outcome.startsWith('answered')) journal.surprises.push(`${operation.kind} of ${slug}: ${outcome}`);
      if (outcome !== 'not sent') mayHaveHappened = true;
      await delay(pauseMs);
    } while (idempotencyKey !== undefined && !isStopping);
    if (mayHaveHappened) journal.note({ slug, operation, sentAt, answer: undefined });
  }

  const running = Array.from({ length: writers }, (_, index) => write(createRandom(seed * 1_000 + index)));
  return {
    async stop() {
      isStopping = true;
      await Promise.all(running);
    },
  };
}

/** What came back; a sentence for what should never come back. */
type Outcome = EntryAnswer | 'turned down' | 'unknown' | 'not sent' | `answered ${string}`;

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
    // Not there (yet), or archived.
    if (status === 404 || status === 409) return 'turned down';
    // Presetd, or a balancer before it, does not know how far the change came.
    if (status === 502 || status === 503 || status === 504) return 'unknown';
    return `answered ${status}: ${text.slice(0, 300)}`;
  } catch (error) {
    return causeCode(error) === 'ECONNREFUSED' ? 'not sent' : 'unknown';
  }
}

function randomWish(random: Random, number: number, latestVersion: number): Operation {
  const version = 1 + random.below(latestVersion);
  const label = random.pick(['production', 'staging', 'canary']);
  const chance = random.below(100);
  if (chance < 50) return randomCreate(random, number);
  // With a text of its own, so that each can be told from all others.
  if (chance < 65)
    return { kind: 'edit', changes: { description: `Change ${number}`, designated_version: version } };
  if (chance < 85) return { kind: 'move-label', label, version };
  if (chance < 88) return { kind: 'remove-label', label };
  if (chance < 91) return { kind: 'edit', changes: { name: `Name ${number}` } };
  if (chance < 93) return { kind: 'edit', changes: { status: 'disabled' } };
  if (chance < 96) return { kind: 'edit', changes: { status: 'active' } };
  return { kind: chance < 97 ? 'archive' : 'restore' };
}

function randomCreate(random: Random, number: number): Operation {
  // Now and then longer than a page of either engine.
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
