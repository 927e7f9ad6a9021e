import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hashSecret } from '../../src/core/organization/api-key.ts';
import { type CommandResult, createWorkingDirectory, startServerProcess } from '../support/command.ts';
import { createDatabase, sqliteAt, type TestDatabase } from '../support/database.ts';
import { engines } from '../support/engines.ts';
import {
  creatingOperations,
  inferenceOperations,
  organizationOperations,
  presetOperations,
} from '../support/every-operation.ts';
import { compatible, writeUpstreamFile } from '../support/gateway-server.ts';
import { type NamedRequest, type Names, unknownNames } from '../support/sample-requests.ts';
import { type ScriptedUpstream, startScriptedUpstream } from '../support/scripted-upstream.ts';
import { startServerOn } from '../support/server.ts';
import type { Script } from '../support/upstream-scripts.ts';
import {
  body,
  cut,
  garbage,
  halfBody,
  html,
  redirect,
  reset,
  stall,
  upstreamError,
} from '../support/upstream-scripts.ts';
import { dialects, pathOf, recordingOf } from '../support/wire/recordings.ts';
import { isLong, logProgress, sampledEngines } from './scale.ts';

/** A random word. Finding it anywhere but where it was sent is a leak. */
const canary = (word: string) => `canary-${word}-${randomBytes(12).toString('hex')}`;

const given = {
  apiKey: canary('api-key'),
  managementKey: canary('management-key'),
  wrongKey: canary('wrong-key'),
  upstreamKey: canary('upstream-key'),
  metricsToken: canary('metrics-token'),
};
const [prompt, question, completion] = [canary('prompt'), canary('question'), canary('completion')];

describe.each(sampledEngines)('a secret on %s', (engine) => {
  let upstream: ScriptedUpstream;
  let database: TestDatabase;
  let finished: CommandResult;
  const directory = createWorkingDirectory();
  const responses: { readonly request: NamedRequest; readonly status: number; readonly text: string }[] = [];
  /** API keys that presetd created. */
  const created: Record<string, string> = {};
  let metrics = '';

  beforeAll(async () => {
    upstream = await startScriptedUpstream();
    database = await createDatabase(engine);
    // Readable for everyone, as a folder created by the operator may be.
    if (engine === 'sqlite') chmodSync(dirname(database.url.slice('sqlite:'.length)), 0o755);
    const file = writeUpstreamFile({
      upstreams: [
        compatible('scripted', upstream, {
          api_key_env: 'SCRIPTED_KEY',
          timeouts: { first_byte_ms: 300, idle_ms: 300 },
        }),
      ],
    });
    const server = await startServerProcess(directory.path, {
      DATABASE_URL: database.url,
      LOG_LEVEL: 'trace',
      PRESETD_CONFIG: file.path,
      SCRIPTED_KEY: given.upstreamKey,
      PRESETD_BOOTSTRAP_API_KEY: given.apiKey,
      PRESETD_BOOTSTRAP_MANAGEMENT_KEY: given.managementKey,
      PRESETD_METRICS_TOKEN: given.metricsToken,
      PRESETD_AUTH_FAILURE_LIMIT: '0',
    });
    const send = async (request: NamedRequest, key: string) => {
      const response = await sendTo(server.url, request, key).catch(() => undefined);
      const text = response === undefined ? '' : await response.text().catch(() => '');
      responses.push({ request, status: response?.status ?? 0, text });
      return text;
    };
    try {
      await sendEverything(send);
      metrics = await (
        await sendTo(server.url, { method: 'GET', path: '/../../metrics' }, given.metricsToken)
      ).text();
    } finally {
      finished = await server.stop();
      file.remove();
    }
  });
  afterAll(async () => {
    await upstream.stop();
    await database.drop();
    directory.remove();
  });

  type Send = (request: NamedRequest, key: string) => Promise<string>;

  /** Sends every operation, valid and malformed, with valid and wrong keys. */
  async function sendEverything(send: Send): Promise<void> {
    const names = await createObjects(send);
    const operations = {
      ...presetOperations,
      ...inferenceOperations,
      ...creatingOperations,
      ...organizationOperations,
    };
    for (const requestsOf of Object.values(operations)) {
      const requests = requestsOf(names).filter(({ method }) => method !== 'DELETE');
      for (const [index, request] of requests.entries()) {
        const keys =
          isLong || index === 0 ? [given.managementKey, given.apiKey, given.wrongKey] : [given.apiKey];
        for (const key of keys) await send(request, key);
        if (typeof request.body !== 'object' || (!isLong && index > 0)) continue;
        for (const text of malformed(JSON.stringify({ ...request.body, ...secretBody() })))
          await send({ ...request, body: text }, keys[0] ?? '');
      }
    }
    for (const script of scripts()) {
      for (const dialect of dialects) {
        upstream.clear();
        upstream.respondAlways(script(dialect));
        for (const stream of [false, true])
          await send(
            { method: 'POST', path: pathOf[dialect], body: { ...secretBody(), stream } },
            given.apiKey,
          );
      }
    }
    for (const path of [
      '/no/such/route',
      `/presets/${given.apiKey}`,
      `/keys/${given.apiKey}`,
      `/presets/x?key=${given.apiKey}`,
    ])
      await send({ method: 'GET', path }, given.managementKey);
    logProgress(`${engine}: ${responses.length} requests`);
  }

  async function createObjects(send: Send): Promise<Names> {
    const post = async (path: string, content: unknown, key = given.managementKey) =>
      JSON.parse(await send({ method: 'POST', path, body: content }, key));
    const workspace = await post('/workspaces', { name: 'Room', slug: 'room' });
    const member = await post('/organization/members', { email: 'ada@example.com' });
    const key = await post('/keys', { name: 'Key', workspace_id: workspace.data.id });
    const rotated = await post(`/keys/${key.data.hash}/rotate`, {});
    Object.assign(created, { first: key.key, second: rotated.key });
    for (const version of ['one', 'two']) {
      const described = { ...secretBody(), tools: [{ type: 'function', function: { name: version } }] };
      for (const each of [given.apiKey, rotated.key])
        await post('/presets/secret/chat/completions', { ...described, model: 'vendor/model' }, each);
    }
    await send({ method: 'PUT', path: '/presets/secret/aliases/secret-alias' }, given.apiKey);
    const testCase = { variables: { prompt }, note: 'A case' };
    const casePath = '/presets/secret/cases/confidential';
    await send({ method: 'PUT', path: casePath, body: testCase }, given.apiKey);
    const draft = { text: prompt, dialect: null, base_version: 1 };
    await send({ method: 'PUT', path: '/presets/secret/draft', body: draft }, given.apiKey);
    return {
      ...unknownNames(),
      slug: 'secret',
      alias: 'secret-alias',
      workspaceId: workspace.data.id,
      workspaceSlug: 'room',
      keyId: key.data.hash,
      keyLabel: rotated.data.label,
      secretHash: hashSecret(rotated.key),
      retiredSecretHash: hashSecret(key.key),
      memberId: member.data.id,
      memberEmail: 'ada@example.com',
    };
  }

  const secrets = () => [...Object.values(given), ...Object.values(created)];

  it('is really used: keys, prompts and completions reach their destination', () => {
    const count = (from: number, to: number) =>
      responses.filter(({ status }) => status >= from && status < to).length;
    for (const [from, to] of [
      [200, 300],
      [400, 500],
      [500, 600],
    ] as const)
      expect(count(from, to)).toBeGreaterThanOrEqual(15);
    expect(responses.some(({ text }) => text.includes(completion))).toBe(true);
    expect(responses.some(({ text, request }) => request.method === 'GET' && text.includes(prompt))).toBe(
      true,
    );
    expect(finished.stdout.split('\n').length).toBeGreaterThan(responses.length);
  });

  it('is never logged, even at the trace level', () => {
    for (const secret of [...secrets(), prompt, question, completion])
      for (const output of [finished.stdout, finished.stderr])
        expect([secret, linesWith(output, secret)]).toEqual([secret, []]);
    expect(finished.stdout).not.toMatch(/sk-pst-v1-[0-9a-f]{64}/);
  });

  it('is not in the metrics', () => {
    expect(metrics).toContain('presetd_');
    for (const secret of [...secrets(), prompt, question, completion])
      expect([secret, linesWith(metrics, secret)]).toEqual([secret, []]);
  });

  it('is in no response: a key is shown only when created or rotated, and an error repeats no prompt', () => {
    const revealing = responses.filter(({ text, request }) =>
      secrets().some((secret) => text.includes(secret) && !request.path.includes(secret)),
    );
    expect(
      revealing.map(({ request, status }) => [request.path.replace(/[0-9a-f-]{36}/, '…'), status]),
    ).toEqual([
      ['/keys', 201],
      ['/keys/…/rotate', 200],
    ]);
    const failed = responses.filter(({ status }) => status >= 400);
    for (const { text, request } of failed)
      for (const secret of [prompt, question])
        expect([request, text.includes(secret)]).toEqual([request, false]);
  });

  it('is not in the database, except for prompts', async () => {
    const content = await contentOf(database);
    for (const secret of secrets())
      for (const form of [
        secret,
        Buffer.from(secret).toString('hex'),
        Buffer.from(secret).toString('base64url'),
      ])
        expect([secret, content.includes(form)]).toEqual([secret, false]);
    expect(content.includes(hashSecret(given.apiKey))).toBe(true);
    expect(content.includes(prompt)).toBe(true);
    for (const never of [question, completion])
      expect([never, content.includes(never)]).toEqual([never, false]);
  });

  function secretBody() {
    return {
      model: '@preset/secret',
      messages: [
        { role: 'system', content: prompt },
        { role: 'user', content: question },
      ],
      input: question,
      max_tokens: 9,
    };
  }

  function scripts(): ((dialect: (typeof dialects)[number]) => Script)[] {
    const whole = (dialect: (typeof dialects)[number]) =>
      Buffer.from(recordingOf[dialect].json.toString().replaceAll('Regen', completion));
    const streamed = (dialect: (typeof dialects)[number]) =>
      Buffer.from(recordingOf[dialect].stream.toString().replaceAll('Regen', completion));
    return [
      (dialect) => body(200, 'application/json', whole(dialect)),
      (dialect) => body(200, 'text/event-stream', streamed(dialect)),
      (dialect) => halfBody(whole(dialect)),
      (dialect) => cut(streamed(dialect).subarray(0, streamed(dialect).length / 2)),
      () => upstreamError(400, `${completion} ${given.upstreamKey}`),
      () => upstreamError(401, `Incorrect key ${given.upstreamKey}`),
      () => upstreamError(500, `${completion} ${given.upstreamKey}`),
      () => body(200, 'application/json', `{"half": "${completion}`),
      () => body(200, 'text/html', completion),
      () => redirect(`http://127.0.0.1:1/${completion}`),
      () => html(502),
      () => garbage,
      () => reset,
      () => stall,
    ];
  }
});

describe.runIf(engines.includes('sqlite'))('the SQLite database', () => {
  it('is readable only for its owner, even in a folder that everyone can read', async () => {
    const directory = createWorkingDirectory();
    const folder = join(directory.path, 'open');
    mkdirSync(folder, { mode: 0o755 });
    const server = await startServerOn(sqliteAt(join(folder, 'presetd.db')));
    try {
      const modes = readdirSync(folder).map((name) => [name, statSync(join(folder, name)).mode & 0o777]);
      expect(modes.toSorted()).toEqual([
        ['presetd.db', 0o600],
        ['presetd.db-shm', 0o600],
        ['presetd.db-wal', 0o600],
      ]);
    } finally {
      await server.stop();
      directory.remove();
    }
  });
});

function sendTo(
  url: string,
  { method, path, body: content, headers = {} }: NamedRequest,
  key: string,
): Promise<Response> {
  const sent = content === undefined || typeof content === 'string' ? content : JSON.stringify(content);
  return fetch(`${url}/api/v1${path}`, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      ...(sent !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(sent !== undefined && { body: sent }),
  });
}

/** Malformed variants of a body. Errors are at the end, after the secrets. */
function malformed(text: string): readonly string[] {
  return [
    text.slice(0, -1),
    text.slice(0, text.length / 2),
    `${text},`,
    `[${text}]`,
    text.replace(/}$/, ',"temperature":"hot","tools":7}'),
    text.replace(/}$/, ',"twice":1,"twice":2}'),
    text.replaceAll('"content":', '"content":\u0001'),
    JSON.stringify(text),
  ];
}

function linesWith(output: string, secret: string): readonly string[] {
  return output.split('\n').filter((line) => line.includes(secret));
}

/** Every byte of the SQLite files, or every row of every PostgreSQL table. */
async function contentOf(database: TestDatabase): Promise<string> {
  if (database.engine === 'sqlite') {
    const folder = dirname(database.url.slice('sqlite:'.length));
    return readdirSync(folder)
      .map((name) => readFileSync(join(folder, name), 'latin1'))
      .join('\n');
  }
  const tables = await database.sql(`SELECT tablename FROM pg_tables WHERE schemaname = 'public'`);
  const rows = await Promise.all(
    tables.map(({ tablename }) => database.sql(`SELECT t::text AS row FROM "${tablename}" t`)),
  );
  return JSON.stringify(rows);
}
