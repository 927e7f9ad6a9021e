import { setTimeout as delay } from 'node:timers/promises';
import { apiKey } from '../../support/server.ts';
import type { Member } from './cluster.ts';

/** Somebody who reads and calls one and the same preset of a presetd all the time. */
export interface Watch {
  readonly answers: number;
  /** Since it was last asked for. */
  slowestMs(): number;
  stop(): Promise<void>;
}

const pauseMs = 50;

/**
 * Whatever happens to the database, a presetd that has answered once goes on: with the preset, to those who read it, and
 * with the answer of its upstream, to those who call it. Everything else is a surprise.
 */
export function watchWarmPreset(member: Member, slug: string, surprises: string[]): Watch {
  let isStopping = false;
  let answers = 0;
  let slowest = 0;
  let known: string | undefined;

  const ask = async (what: string, send: () => Promise<Response>): Promise<string | undefined> => {
    if (!member.isUp()) return undefined;
    const { life } = member;
    const startedAt = performance.now();
    try {
      const response = await send();
      const text = await response.text();
      slowest = Math.max(slowest, performance.now() - startedAt);
      answers += 1;
      if (response.status === 200) return text;
      surprises.push(`${what}: ${response.status} ${text}`);
    } catch (error) {
      // Who is killed does not answer.
      if (member.life === life) surprises.push(`${what}: ${describe(error)}`);
    }
    return undefined;
  };
  const watch = async () => {
    while (!isStopping) {
      await delay(pauseMs);
      const text = await ask('reading a warm preset', () => read(member.url, slug));
      known ??= text;
      if (text !== undefined && text !== known) surprises.push(`a warm preset became ${text}`);
      await ask('calling a warm preset', () => call(member.url, slug));
    }
  };
  const watching = watch();
  return {
    get answers() {
      return answers;
    },
    slowestMs() {
      const ms = slowest;
      slowest = 0;
      return ms;
    },
    async stop() {
      isStopping = true;
      await watching;
    },
  };
}

export function read(url: string, slug: string, key = apiKey): Promise<Response> {
  return fetch(`${url}/api/v1/presets/${slug}`, {
    headers: { authorization: `Bearer ${key}` },
    signal: limit(),
  });
}

export function call(url: string, slug: string): Promise<Response> {
  return post(`${url}/api/v1/chat/completions`, {
    model: `@preset/${slug}`,
    messages: [{ role: 'user', content: 'Hello' }],
  });
}

export function create(url: string, slug: string): Promise<Response> {
  return post(`${url}/api/v1/presets/${slug}/responses`, {
    model: 'openai/gpt-5',
    instructions: 'Be brief.',
  });
}

export function rename(url: string, slug: string, name: string): Promise<Response> {
  return post(`${url}/api/v1/presets/${slug}`, { name }, 'PATCH');
}

function post(url: string, body: object, method = 'POST'): Promise<Response> {
  return fetch(url, {
    method,
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: limit(),
  });
}

/** Far more than any answer may take. */
function limit(): AbortSignal {
  return AbortSignal.timeout(60_000);
}

export function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}
