import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { anyEngine } from '../support/engines.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const preset = '/api/v1/presets/support';
const path = '/presetd/variables/customer';
const required = {
  path,
  message: 'is a new variable without a default: calls without `customer` fail',
};
const removed = { path, message: 'is no longer a variable: calls with `customer` fail' };

describe('calls that break because a version goes live', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(anyEngine);
    await server.post(`${preset}/chat/completions`, plain);
    await server.post(`${preset}/chat/completions`, {
      ...withCustomer,
      presetd: { ...variables, designate: false },
    });
  });
  afterAll(() => server.stop());

  const plain = { model: 'm', messages: [{ role: 'system', content: 'Be kind.' }] };
  const variables = { variables: { customer: { type: 'string' } } };
  const withCustomer = {
    model: 'm',
    messages: [{ role: 'system', content: 'Be kind to {{customer}}.' }],
    presetd: variables,
  };
  const dryRun = async (body: object) =>
    (await server.post(`${preset}/chat/completions?dry_run=true`, body)).body.warnings;
  const makeLive = (version: number) => server.send('PATCH', preset, { designated_version: version });
  const setLabel = (version: number) => server.send('PUT', `${preset}/labels/beta`, { version });

  it('are named in the difference of two versions, in either direction', async () => {
    const forward = await server.get(`${preset}/versions/2/diff?against=designated`);
    expect(forward.body.data.warnings).toEqual([required]);
    const back = await server.get(`${preset}/versions/1/diff?against=2`);
    expect(back.body.data.warnings).toEqual([removed]);
  });

  it('are named by a dry run, unless the version would not go live', async () => {
    expect(await dryRun(withCustomer)).toEqual([required]);
    expect(await dryRun({ ...withCustomer, presetd: { ...variables, designate: false } })).toEqual([]);
    expect(await dryRun(plain)).toEqual([]);
  });

  it('are named when the live version moves', async () => {
    const forward = await makeLive(2);
    expect(forward.body).toEqual({
      data: expect.objectContaining({ slug: 'support' }),
      warnings: [required],
    });
    expect((await makeLive(2)).body.warnings).toEqual([]);
    expect((await makeLive(1)).body.warnings).toEqual([removed]);
    const renamed = await server.send('PATCH', preset, { name: 'Support' });
    expect(Object.keys(renamed.body)).toEqual(['data']);
  });

  it('are named when a label moves, and a new label breaks none', async () => {
    expect((await setLabel(1)).body).toEqual({
      data: expect.objectContaining({ label: 'beta', version: 1 }),
      warnings: [],
    });
    expect((await setLabel(2)).body.warnings).toEqual([required]);
    expect((await setLabel(1)).body.warnings).toEqual([removed]);
  });
});
