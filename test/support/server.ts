import type { IncomingHttpHeaders } from 'node:http';
import { pino } from 'pino';
import { type Dispatcher, request } from 'undici';
import type { WorkerPeers } from '../../src/cluster/worker-peers.ts';
import { loadConfig } from '../../src/config/server-config.ts';
import type { Clock } from '../../src/core/clock.ts';
import { type RunningServer, startServer } from '../../src/main.ts';
import { createMigratedDatabase, type TestDatabase } from './database.ts';
import type { Engine } from './engines.ts';
import { longDatabaseTimeout } from './storage-options.ts';
import { releaseAfterTest } from './test-scope.ts';

/** Keys that every test server accepts. */
export const apiKey = 'test-api-key-0123456789';
export const managementKey = 'test-management-key-0123456789';

/** A server that runs in the test's process, with shortcuts to send requests. */
export interface TestServer extends RunningServer {
  readonly database: TestDatabase;
  /** Every log line, as JSON text. */
  readonly log: readonly string[];
  post(path: string, body: unknown, options?: RequestOptions): Promise<TestResponse>;
  get(path: string, options?: RequestOptions): Promise<TestResponse>;
  /** Any method; no body is sent when it is undefined. */
  send(method: string, path: string, body?: unknown, options?: RequestOptions): Promise<TestResponse>;
}

/** How to send a request. */
export interface RequestOptions {
  /** The key to authenticate with; null sends none. */
  readonly key?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface TestResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests examine responses; a type would assume the result
  readonly body: any;
}

type Environment = Readonly<Record<string, string>>;

/**
 * Starts a complete server in this process, on its own port and database. `stop` drops the
 * database.
 */
export async function startTestServer(
  engine: Engine,
  environment: Environment = {},
  clock?: Clock,
): Promise<TestServer> {
  const server = await startServerOn(await createMigratedDatabase(engine), environment, undefined, clock);
  return {
    ...server,
    async stop() {
      await server.stop();
      await server.database.drop();
    },
  };
}

/** Starts another server on an existing database. Stop it before the database is dropped. */
export async function startServerOn(
  database: TestDatabase,
  environment: Environment = {},
  peers?: WorkerPeers,
  clock?: Clock,
): Promise<TestServer> {
  const log: string[] = [];
  const config = loadConfig({
    PORT: '0',
    DATABASE_URL: database.url,
    PRESETD_BOOTSTRAP_API_KEY: apiKey,
    PRESETD_BOOTSTRAP_MANAGEMENT_KEY: managementKey,
    ...longDatabaseTimeout,
    // Turns off load shedding: tests share the event loop with this server, and their own work must
    // not look like overload.
    PRESETD_REQUESTS_IN_FLIGHT: '0',
    ...environment,
  });
  const server = await startServer(
    config,
    pino({ level: 'trace' }, { write: (line: string) => void log.push(line) }),
    peers,
    clock,
  );
  return {
    ...server,
    database,
    log,
    stop: releaseAfterTest(() => server.stop()),
    post: (path, body, options) => send(server.url + path, 'POST', body, options),
    get: (path, options) => send(server.url + path, 'GET', undefined, { key: managementKey, ...options }),
    send: (method, path, body, options) => send(server.url + path, method, body, options),
  };
}

const headersOfFetch = {
  accept: '*/*',
  'accept-language': '*',
  'sec-fetch-mode': 'cors',
  'user-agent': 'node',
};

/** Like `fetch`, which takes twice the CPU time: the tests send tens of thousands of requests. */
async function send(
  url: string,
  method: string,
  body: unknown,
  { key = apiKey, headers }: RequestOptions = {},
): Promise<TestResponse> {
  const response = await request(url, {
    method: method as Dispatcher.HttpMethod,
    headers: {
      ...headersOfFetch,
      ...(key !== null && { authorization: `Bearer ${key}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: toBytes(body) }),
  });
  const text = await response.body.text();
  return {
    status: response.statusCode,
    headers: toHeaders(response.headers),
    text,
    body: parseOrUndefined(text),
  };
}

function toBytes(body: unknown): string | Uint8Array {
  return typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body);
}

function toHeaders(received: IncomingHttpHeaders): Headers {
  const headers = new Headers();
  for (const [name, values = []] of Object.entries(received))
    for (const value of [values].flat()) headers.append(name, value);
  return headers;
}

function parseOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
