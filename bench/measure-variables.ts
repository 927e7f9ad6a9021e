import { type Comparison, compare, type LoadSettings, type Peer } from './compare.ts';
import { apiKey, createDatabase } from './database.ts';
import { startPresetd, startUpstream } from './server-process.ts';

const names = Array.from({ length: 20 }, (_, index) => `variable_${index}`);
const exampleOf = (name: string) => `value of ${name}`;
const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };

/**
 * Compares calls of a preset whose 4 kB prompt has 20 variables with calls of one that has the same
 * text without them. Both send the same request to the upstream.
 */
export async function measureVariables(
  name: string,
  settings: LoadSettings,
  interruption: AbortSignal,
): Promise<Comparison> {
  await using started = new AsyncDisposableStack();
  process.stderr.write(`${name}: preparing an upstream and two gateways\n`);
  const upstream = started.adopt(await startUpstream('whole'), (server) => server.stop());
  const upstreamUrl = `${upstream.url}/v1`;
  const variables = await startGateway(started, upstreamUrl, true);
  const plain = await startGateway(started, upstreamUrl, false);
  return await compare(name, variables, { plain }, settings, interruption);
}

async function startGateway(
  started: AsyncDisposableStack,
  upstreamUrl: string,
  hasVariables: boolean,
): Promise<Peer> {
  const database = await createDatabase('sqlite', undefined, 'variables');
  started.defer(() => database.remove());
  const environment = { PRESETD_CONFIG: '', PRESETD_UPSTREAM_URL: upstreamUrl, OPENROUTER_API_KEY: 'key' };
  const server = started.adopt(await startPresetd(database.url, environment), (running) => running.stop());
  const response = await fetch(`${server.url}/api/v1/presets/rendered/chat/completions`, {
    method: 'POST',
    headers,
    body: JSON.stringify({
      model: 'vendor/model',
      messages: [
        { role: 'system', content: promptWith((name) => (hasVariables ? `{{${name}}}` : exampleOf(name))) },
      ],
      ...(hasVariables && {
        presetd: { variables: Object.fromEntries(names.map((name) => [name, schema])) },
      }),
    }),
  });
  if (!response.ok) throw new Error(`the preset was rejected: ${await response.text()}`);
  const values = Object.fromEntries(names.map((name) => [name, exampleOf(name)]));
  const body = JSON.stringify({
    model: '@preset/rendered',
    messages: [{ role: 'user', content: 'Where is my parcel?' }],
    ...(hasVariables && { prompt: { variables: values } }),
  });
  return { server, requests: [{ method: 'POST', path: '/api/v1/chat/completions', headers, body }] };
}

const schema = { type: 'string', maxLength: 80 };

/** About 4 kB. */
function promptWith(insert: (name: string) => string): string {
  const sentence =
    'Answer politely, stay with the facts that the customer gave you, and never promise a refund. ';
  return names.map((name) => `${sentence}${sentence}Consider ${insert(name)}.\n`).join('');
}
