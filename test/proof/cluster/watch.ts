import { setTimeout as delay } from 'node:timers/promises';
import { apiKey } from '../../support/server.ts';
import { scale } from '../scale.ts';
import type { Instance } from './cluster.ts';

/** Reads and calls one preset of an instance in a loop. */
export interface Watch {
  readonly responses: number;
  /** The slowest response since the last call of this method. */
  slowestMs(): number;
  stop(): Promise<void>;
}

const pauseMs = scale(200, 50);

/**
 * Whatever happens to the database, an instance must keep serving reads and calls of a preset that
 * it has cached. Everything else goes to `unexpected`.
 */
export function watchWarmPreset(instance: Instance, slug: string, unexpected: string[]): Watch {
  let isStopping = false;
  let responses = 0;
  let slowest = 0;
  let firstText: string | undefined;

  const attempt = async (action: string, send: () => Promise<Response>): Promise<string | undefined> => {
    if (!instance.isUp()) return undefined;
    const { stopCount } = instance;
    const startedAt = performance.now();
    try {
      const response = await send();
      const text = await response.text();
      slowest = Math.max(slowest, performance.now() - startedAt);
      responses += 1;
      if (response.status === 200) return text;
      unexpected.push(`${action}: ${response.status} ${text}`);
    } catch (error) {
      // A killed instance cannot respond.
      if (instance.stopCount === stopCount) unexpected.push(`${action}: ${describe(error)}`);
    }
    return undefined;
  };
  const watch = async () => {
    while (!isStopping) {
      await delay(pauseMs);
      const text = await attempt('reading a warm preset', () => read(instance.url, slug));
      firstText ??= text;
      if (text !== undefined && text !== firstText) unexpected.push(`a warm preset became ${text}`);
      await attempt('calling a warm preset', () => call(instance.url, slug));
    }
  };
  const watching = watch();
  return {
    get responses() {
      return responses;
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
    signal: timeout(),
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
    signal: timeout(),
  });
}

/** Far longer than any response may take. */
function timeout(): AbortSignal {
  return AbortSignal.timeout(60_000);
}

export function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}
