import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { engines } from '../support/engines.ts';
import { managementKey, startServerOn, startTestServer, type TestServer } from '../support/server.ts';
import { Journal } from './journal.ts';
import { type Operation, requestOf } from './operation.ts';
import { sampledEngines } from './scale.ts';
import { createVerifier, verifyJournal } from './verify.ts';
import { startWriters, type WriterOptions } from './writers.ts';

// The fault tests rely on the verifier: it must accept a correct server and detect every kind of
// loss.

const targetOf = ({ url }: TestServer) => ({ url: () => url, key: managementKey });

async function write(
  server: TestServer,
  journal: Journal,
  changes: number,
  options: WriterOptions,
): Promise<void> {
  const writers = startWriters(targetOf(server), journal, options);
  await journal.untilAcknowledged(changes);
  await writers.stop();
}

/** What every preset has, whatever the writers choose. They do not change this case. */
const basics: readonly Operation[] = [
  { kind: 'create', dialect: 'responses', config: { model: 'm' }, prompt: 'First.' },
  {
    kind: 'save-case',
    name: 'A case',
    content: { variables: {}, messages: [{ role: 'user', content: 'Question' }], note: null },
  },
  { kind: 'save-draft', text: '{' },
];

async function perform(server: TestServer, journal: Journal, slug: string, operation: Operation) {
  const sentAt = performance.now();
  const { method, path, body } = requestOf(slug, operation);
  const { headers, text } = await server.send(method, path, body, { key: managementKey });
  const revision = Number(/\.(\d+)"$/.exec(headers.get('etag') ?? '')?.[1]);
  journal.record({ slug, operation, sentAt, response: { at: performance.now(), text, revision } });
}

describe.each(sampledEngines)('a journal of writes on %s', (engine) => {
  it('is verified step by step, and again from the beginning', async () => {
    const server = await startTestServer(engine);
    const journal = new Journal();
    const verifier = createVerifier(targetOf(server), journal);
    for (const seed of [1, 2]) {
      await write(server, journal, 60, { seed, presets: 4 });
      await verifier.verify();
    }
    const verified = await verifier.verify();
    expect(verified).toMatchObject({ presets: 4, unacknowledged: 0 });
    expect(verified.events).toBeGreaterThan(100);
    expect(await verifyJournal(targetOf(server), journal)).toEqual(verified);
    await server.stop();
  });
});

describe.runIf(engines.includes('sqlite'))('the verifier of the journal', () => {
  /** SQL that corrupts one preset, whose id replaces each question mark, and the expected error. */
  const faults: Readonly<Record<string, readonly [sql: string, error: RegExp]>> = {
    'a version with changed bytes': [
      `UPDATE preset_versions SET config = config || ' ' WHERE version = 1 AND preset_id = ?`,
      /no request explains the event/,
    ],
    'a missing version': [
      `DELETE FROM preset_labels WHERE version = 1 AND preset_id = ?;
       UPDATE presets SET designated_version = latest_version WHERE id = ?;
       DELETE FROM preset_versions WHERE version = 1 AND preset_id = ?`,
      /version 1 of \d+ is missing/,
    ],
    'a change that is missing together with its event': [
      `DELETE FROM audit_events WHERE preset_id = ? AND number = (SELECT revision FROM presets WHERE id = ?);
       UPDATE presets SET revision = revision - 1 WHERE id = ?`,
      /missing|does not match its events|versions after/,
    ],
    'a missing event': [
      `DELETE FROM audit_events WHERE preset_id = ? AND number = 1`,
      /expected events 1 to \d+/,
    ],
    'an event without its change': [
      `UPDATE presets SET revision = revision + 1 WHERE id = ?;
       INSERT INTO audit_events
         (id, organization_id, workspace_id, preset_id, number, kind, actor_id, created_at, before, after)
       SELECT '01a1dcf2-bcb6-7425-a21f-000000000000', organization_id, workspace_id, preset_id, number + 1,
         'preset.renamed', actor_id, created_at, '{"name":"a"}', '{"name":"b"}'
       FROM audit_events WHERE preset_id = ? ORDER BY number DESC LIMIT 1`,
      /no request explains the event/,
    ],
    'a change without its event': [
      `UPDATE presets SET description = 'Changed' WHERE id = ?`,
      /the preset does not match its events/,
    ],
    'a label without its event': [
      `INSERT INTO preset_labels VALUES (?, 'new', 1, '2026-01-01T00:00:00.000Z')`,
      /the labels do not match the events/,
    ],
    'an alias without its event': [
      `INSERT INTO preset_aliases SELECT workspace_id, 'new', id, '2026-01-01T00:00:00.000Z' FROM presets WHERE id = ?`,
      /the aliases do not match the events/,
    ],
    'a test case with changed content': [
      `UPDATE preset_cases SET content = replace(content, 'Question', 'Query') WHERE preset_id = ?`,
      /no request explains the event/,
    ],
    'a missing test case': [
      `UPDATE preset_cases SET is_current = 0 WHERE preset_id = ?`,
      /the test cases do not match the events/,
    ],
    'a missing draft': ['DELETE FROM preset_drafts WHERE preset_id = ?', /an acknowledged draft is missing/],
    'an outdated draft': [
      `UPDATE preset_drafts SET text = 'earlier', revision = revision - 1 WHERE preset_id = ?`,
      /the draft is not the last one/,
    ],
    'no fault if there is none': ['SELECT ?', /^valid$/],
  };
  const names = Object.keys(faults);
  let database: TestDatabase;
  let server: TestServer;
  const journal = new Journal();

  beforeAll(async () => {
    database = await createDatabase('sqlite');
    server = await startServerOn(database);
    for (const slug of names.keys().map((index) => `preset-${index}`))
      for (const operation of basics) await perform(server, journal, slug, operation);
    await write(server, journal, 100, { presets: names.length });
    await server.stop();
    await database.transaction(
      ...[
        'preset_versions_immutable',
        'preset_versions_permanent',
        'preset_cases_immutable',
        'audit_events_permanent',
      ].map((trigger) => `DROP TRIGGER ${trigger}`),
      ...names.map((name, index) =>
        `${faults[name]?.[0]}`.replaceAll(
          '?',
          `(SELECT id FROM presets WHERE slug IN ('preset-${index}', 'preset-${index}-renamed'))`,
        ),
      ),
    );
    server = await startServerOn(database);
  });
  afterAll(async () => {
    await server.stop();
    await database.drop();
  });

  const resultOf = (checked: Journal) =>
    verifyJournal(targetOf(server), checked, { settleMs: 0 }).then(
      () => 'valid',
      (error: Error) => error.message,
    );

  it.each(names)('the verifier detects %s', async (name) => {
    const single = new Journal();
    for (const entry of journal.entries(`preset-${names.indexOf(name)}`)) single.record(entry);
    expect(single.counts.acknowledged).toBeGreaterThan(2);
    expect(await resultOf(single)).toMatch(faults[name]?.[1] ?? '');
  });

  it('the verifier detects a request that created two versions, but accepts one without a response', async () => {
    const operation: Operation = {
      kind: 'create',
      dialect: 'responses',
      config: { model: 'm' },
      prompt: 'Once.',
    };
    const create = () =>
      server.post('/api/v1/presets/once/responses', { instructions: operation.prompt, ...operation.config });
    const interrupted = new Journal();
    interrupted.record({ slug: 'once', operation, sentAt: 0, response: undefined });
    expect(await resultOf(interrupted)).toBe('valid');
    await create();
    expect(await resultOf(interrupted)).toBe('valid');
    await create();
    expect(await resultOf(interrupted)).toMatch(/no request explains the event/);
  });

  it('the verifier detects revisions that are in a different order than the responses', async () => {
    const operation: Operation = { kind: 'edit', changes: { name: 'Later' } };
    const late = new Journal();
    late.record({ slug: 'late', operation, sentAt: 0, response: { at: 1, text: '', revision: 2 } });
    late.record({ slug: 'late', operation, sentAt: 2, response: { at: 3, text: '', revision: 1 } });
    expect(await resultOf(late)).toMatch(/a request acknowledged earlier has a higher revision/);
  });

  it('the verifier detects an unexpected response', async () => {
    const unexpected = new Journal();
    unexpected.unexpectedResponses.push('create of preset-1: unexpected 401');
    expect(await resultOf(unexpected)).toMatch(/unexpected responses/);
  });
});
