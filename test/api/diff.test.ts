import { applyPatch as applyTextPatch } from 'diff';
import fastJsonPatch from 'fast-json-patch';
import { applyPatch, type Operation } from 'rfc6902';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { anyEngine } from '../support/engines.ts';
import { apiKey, startTestServer, type TestResponse, type TestServer } from '../support/server.ts';

describe('diffs of versions', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(anyEngine);
    for (const model of ['one', 'two']) await push('pair', { model });
  });
  afterAll(() => server.stop());

  const push = (slug: string, body: unknown) => server.post(`/api/v1/presets/${slug}/responses`, body);
  const version = async (slug: string, number: number) =>
    (await server.get(`/api/v1/presets/${slug}/versions/${number}`)).body.data;
  const diff = (slug: string, number: number | string, against?: string) =>
    server.get(
      `/api/v1/presets/${slug}/versions/${number}/diff${against === undefined ? '' : `?against=${against}`}`,
      { key: apiKey },
    );
  /** Tool parameters may be any JSON, so tests put arbitrary values there. */
  const tool = (parameters: unknown) => ({ tools: [{ type: 'function', name: 't', parameters }] });

  /** Applies the diff to `from` with two libraries, and expects `to`. */
  async function expectDiffApplies(slug: string, from: number, to: number): Promise<TestResponse['body']> {
    const [{ body, status }, older, newer] = [
      await diff(slug, to, String(from)),
      await version(slug, from),
      await version(slug, to),
    ];
    expect(status).toBe(200);
    expect(body.data).toMatchObject({ from: { version: from }, to: { version: to } });
    const patch: Operation[] = body.data.config_patch;
    const document = structuredClone(older.config);
    expect(applyPatch(document, structuredClone(patch)).filter((problem) => problem !== null)).toEqual([]);
    expect(document).toEqual(newer.config);
    expect(
      fastJsonPatch.applyPatch(structuredClone(older.config), structuredClone(patch), true).newDocument,
    ).toEqual(newer.config);
    const texts = [older.system_prompt ?? '', newer.system_prompt ?? ''];
    const textDiff: string | null = body.data.system_prompt_diff;
    if (texts[0] === texts[1]) expect(textDiff).toBeNull();
    else expect(applyTextPatch(texts[0], textDiff ?? '')).toBe(texts[1]);
    return body.data;
  }

  it('a diff turns one version into the other in both directions, config and prompt', async () => {
    await push('both', { model: 'a', instructions: 'Be brief.\nBe kind.\n', temperature: 1 });
    await push('both', { model: 'b', instructions: 'Be brief.\nBe nice.', ...tool({ a: [1, 2, 3] }) });
    await push('both', { ...tool({ 'a/b': { '~': 1 }, a: [0, 1, 3] }) });
    const data = await expectDiffApplies('both', 1, 2);
    expect(data).toEqual({
      from: { version: 1 },
      to: { version: 2 },
      config_patch: [
        { op: 'remove', path: '/temperature' },
        { op: 'add', path: '/tools', value: tool({ a: [1, 2, 3] }).tools },
        { op: 'replace', path: '/model', value: 'b' },
      ],
      system_prompt_diff:
        '--- both@1\n+++ both@2\n@@ -1,2 +1,2 @@\n Be brief.\n-Be kind.\n+Be nice.\n\\ No newline at end of file\n',
      presetd_patch: [],
      coarse: [],
      warnings: [],
    });
    for (const [from, to] of [
      [2, 1],
      [2, 3],
      [3, 2],
      [1, 3],
      [3, 1],
    ] as const)
      await expectDiffApplies('both', from, to);
  });

  it('the diff of a version with itself is empty', async () => {
    await push('same', { model: 'a', instructions: 'x' });
    expect((await diff('same', 1, '1')).body.data).toEqual({
      from: { version: 1 },
      to: { version: 1 },
      config_patch: [],
      system_prompt_diff: null,
      presetd_patch: [],
      coarse: [],
      warnings: [],
    });
  });

  it('a diff keeps every digit of a number', async () => {
    await push(
      'digits',
      '{"tools":[{"type":"function","name":"t","parameters":{"a":18446744073709551615}}]}',
    );
    await push(
      'digits',
      '{"tools":[{"type":"function","name":"t","parameters":{"a":18446744073709551616,"b":[0.10000000000000000555]}}]}',
    );
    const { text } = await diff('digits', 2);
    expect(text).toContain(
      '[{"op":"add","path":"/tools/0/parameters/b","value":[0.10000000000000000555]},' +
        '{"op":"replace","path":"/tools/0/parameters/a","value":18446744073709551616}]',
    );
    expect((await diff('digits', 1, '2')).text).toContain('"value":18446744073709551615}');
  });

  it.each<[string, string | null, string | null]>([
    ['null-to-text', null, 'New'],
    ['text-to-null', 'Old\nlines\n', null],
    ['crlf', 'a\r\nb\r\n', 'a\r\nc\r\n'],
    ['crlf-to-lf', 'a\r\nb\r\n', 'a\nb\n'],
    ['final-newline', 'a\n', 'a'],
    ['diff-markers', '--- a\n+++ b\n@@ x\n', '--- a\n+++ c\n@@ y\n'],
    ['many-from-null', null, lines(2_500, 'one')],
  ])('the diff of system prompts applies in both directions: %s', async (slug, from, to) => {
    for (const prompt of [from, to]) await push(slug, prompt === null ? {} : { instructions: prompt });
    await expectDiffApplies(slug, 1, 2);
    await expectDiffApplies(slug, 2, 1);
  });

  it('compares with the previous version, a number, a label, latest or designated', async () => {
    for (const model of ['1', '2', '3', '4']) await push('against', { model });
    await server.send('PUT', '/api/v1/presets/against/labels/stable', { version: 2 });
    await server.send('PATCH', '/api/v1/presets/against', { designated_version: 1 });
    const from = async (against?: string) => (await diff('against', 3, against)).body.data?.from.version;
    expect(await from()).toBe(2);
    expect(await from('4')).toBe(4);
    expect(await from('stable')).toBe(2);
    expect(await from('latest')).toBe(4);
    expect(await from('designated')).toBe(1);
    await server.send('DELETE', '/api/v1/presets/against');
    expect(await from('stable')).toBe(2);
  });

  it.each([
    ['1', undefined, 400],
    ['1', '', 400],
    ['1', '0', 400],
    ['1', '01', 400],
    ['1', '1.5', 400],
    ['1', '-1', 400],
    ['1', 'Stable', 400],
    ['1', 'two%20words', 400],
    ['1', '1&against=2', 400],
    ['0', '1', 400],
    ['latest', '1', 400],
    ['1', '3', 404],
    ['3', '1', 404],
    ['3', undefined, 404],
    ['1', '99999999999999999999', 404],
    ['99999999999999999999', '1', 404],
    ['2147483647', undefined, 404],
    ['1', 'unknown', 404],
    ['1', 'constructor', 404],
  ])('the diff of version %s against %s fails with %i', async (number, against, status) => {
    const { status: actual, body } = await diff('pair', number, against);
    expect([actual, body.error?.code]).toEqual([status, status]);
  });

  it('the diff of an unknown preset is 404', async () => {
    expect((await diff('not-there', 2)).status).toBe(404);
  });

  const properties = (type: string) =>
    Object.fromEntries(Array.from({ length: 19_000 }, (_, index) => [`property_${index}`, { type }]));

  it('a diff of versions that differ too much is coarse and says so', async () => {
    await push('large', { ...tool({ enum: [] }), instructions: 'x\n'.repeat(100_000) });
    await push('large', { ...tool(properties('string')), instructions: 'y\nx\n'.repeat(50_000) });
    await push('large', { ...tool(properties('number')), instructions: 'y\nx\n'.repeat(50_000), top_p: 0.5 });
    expect((await expectDiffApplies('large', 1, 2)).coarse).toEqual(['config_patch', 'system_prompt_diff']);
    const data = await expectDiffApplies('large', 2, 3);
    expect(data.coarse).toEqual(['config_patch']);
    expect(data.config_patch.map(({ path }: Operation) => path)).toEqual(['/top_p', '/tools']);
  });

  it('other requests are served while many large diffs run', async () => {
    // Below the node limit, so that everything is compared, in about 20 steps each.
    const some = (type: string) => Object.fromEntries(Object.entries(properties(type)).slice(0, 7_000));
    for (const type of ['string', 'number']) await push('busy', tool(some(type)));
    let isComputing = true;
    const diffs = Promise.all(Array.from({ length: 10 }, () => diff('busy', 2))).finally(() => {
      isComputing = false;
    });
    let servedMeanwhile = 0;
    while (isComputing) {
      expect((await server.get('/api/v1/presets/pair', { key: apiKey })).status).toBe(200);
      if (isComputing) servedMeanwhile += 1;
    }
    expect((await diffs).map(({ status }) => status)).toEqual(Array(10).fill(200));
    expect(servedMeanwhile).toBeGreaterThan(10);
  });
});

function lines(count: number, name: string): string {
  return Array.from({ length: count }, (_, index) => `${name} ${index}\n`).join('');
}
