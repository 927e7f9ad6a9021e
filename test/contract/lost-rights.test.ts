import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { noPeers } from '../../src/cluster/worker-peers.ts';
import { hashSecret } from '../../src/core/organization/api-key.ts';
import { createMigratedDatabase, type TestDatabase } from '../support/database.ts';
import { engines } from '../support/engines.ts';
import { makeKey, makeMember, makeWorkspace } from '../support/organizations.ts';
import { type Names, sampleRows, unknownNames } from '../support/sample-requests.ts';
import { managementKey, startServerOn, type TestServer } from '../support/server.ts';
import { makeSession, ofSession } from '../support/sessions.ts';

interface Credential {
  readonly key: string | null;
  readonly headers: Readonly<Record<string, string>>;
  /** Deletes it. */
  readonly deletion: string;
}

interface Loss {
  readonly status: number;
  readonly sql: (callerId: string, credential: Credential) => string;
}

/** How an org:admin loses what a change needs after their request was authenticated. */
const losses: Readonly<Record<string, Loss>> = {
  'is deactivated': {
    status: 403,
    sql: (id) => `UPDATE memberships SET deactivated_at = '2026-01-01T00:00:00.000Z' WHERE user_id = '${id}'`,
  },
  'becomes an org:member': {
    status: 403,
    sql: (id) =>
      `UPDATE memberships SET role = 'org:member', workspace_role = 'viewer' WHERE user_id = '${id}'`,
  },
  'loses their session or key': { status: 401, sql: (_, { deletion }) => deletion },
};

/**
 * Every change. Model calls have tests of their own, and feedback about a call needs no more than
 * the call itself did; dry runs and queries change nothing. The response to a repricing has begun
 * before it changes anything, so `repricing.test.ts` takes the rights away.
 */
const changes = sampleRows.filter(
  ({ route, access, request }) =>
    !route.startsWith('GET') &&
    route !== 'POST /usage/reprice' &&
    !['read', 'model-call', 'call-write', 'dry-run', 'draft-run'].includes(access) &&
    !request(unknownNames()).path.endsWith('dry_run=true'),
);

describe.each(engines)('changes of callers who lose their rights on %s', (engine) => {
  let database: TestDatabase;
  let server: TestServer;
  let names: Names;
  /** Runs once the next request is authenticated. What it writes reaches no cache. */
  let onAuthenticated: (() => Promise<void>) | undefined;
  beforeAll(async () => {
    database = await createMigratedDatabase(engine);
    server = await startServerOn(
      database,
      { PRESETD_RATE_LIMIT: '1000' },
      {
        ...noPeers,
        async countRequest() {
          const run = onAuthenticated;
          onAuthenticated = undefined;
          await run?.();
          return { count: 1, resetsInMs: 1_000 };
        },
      },
    );
    const workspaceId = await makeWorkspace(server, 'room');
    const callerId = await makeMember(server, 'caller@example.com', { role: 'org:admin' });
    const memberId = await makeMember(server, 'other@example.com');
    await manage('POST', `/workspaces/${workspaceId}/members/add`, { user_ids: [memberId] });
    const device = await manage('POST', '/sign-in/device', { client_name: 'test' });
    names = {
      ...unknownNames(),
      workspaceId,
      callerId,
      memberId,
      userCode: device.body.data.user_code,
      keyId: (await makeKey(server, { creator_user_id: callerId })).id,
      otherKeyId: (await makeKey(server, { creator_user_id: memberId, workspace_id: workspaceId })).id,
    };
    for (const model of ['one', 'two']) await manage('POST', '/presets/unknown/responses', { model });
    await manage('PUT', '/presets/unknown/labels/production', { version: 1 });
    await manage('PUT', '/presets/unknown/aliases/unknown-alias');
    await manage('PUT', '/presets/unknown/cases/confidential', {});
  });
  afterAll(async () => {
    await server.stop();
    await database.drop();
  });

  const manage = (method: string, path: string, body?: unknown) =>
    server.send(method, `/api/v1${path}`, body, { key: managementKey });
  const restoreRights = () =>
    database.transaction(
      `UPDATE memberships SET role = 'org:admin', deactivated_at = NULL WHERE user_id = '${names.callerId}'`,
    );
  const lastEvent = async () => (await manage('GET', '/audit?limit=1')).text;
  /** New for every request, so that it is cached no earlier. */
  const newCredential: Readonly<Record<'session' | 'key', () => Promise<Credential>>> = {
    async session() {
      const token = await makeSession({ database }, names.callerId);
      const deletion = `DELETE FROM sessions WHERE token_hash = '${hashSecret(token)}'`;
      return { key: null, headers: ofSession(token), deletion };
    },
    async key() {
      const { id, secret } = await makeKey(server, { creator_user_id: names.callerId, kind: 'management' });
      return { key: secret, headers: {}, deletion: `DELETE FROM api_keys WHERE id = '${id}'` };
    },
  };

  const cases = Object.entries(losses).flatMap(([loss, { status, sql }]) =>
    (['session', 'key'] as const).map((by) => ({ loss, by, status, sql })),
  );
  it.each(cases)(
    'a caller by $by who $loss during the request changes nothing',
    async ({ loss, by, status: lost, sql }) => {
      for (const { route, access, request } of changes) {
        // An org:member still has an account and keys, and only a session changes an account.
        const isOwn = access === 'session' || access === 'member-write';
        if ((isOwn && loss === 'becomes an org:member') || (access === 'session' && by === 'key')) continue;
        await restoreRights();
        const credential = await newCredential[by]();
        const before = await lastEvent();
        const { method, path, body, headers } = request(names);
        onAuthenticated = () => database.transaction(sql(names.callerId, credential));
        const { status, text } = await server.send(method, `/api/v1${path}`, body, {
          key: credential.key,
          headers: { ...headers, ...credential.headers },
        });
        const hidden = path.includes(names.otherKeyId) && loss === 'becomes an org:member' ? 404 : lost;
        expect([route, body, text, status]).toEqual([route, body, text, hidden]);
        expect([route, await lastEvent()]).toEqual([route, before]);
      }
    },
  );
});
