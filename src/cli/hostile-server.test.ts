import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { startStubServer } from '../../test/support/stub-server.ts';
import { contract, schemas } from '../api/contract.ts';
import type { Operation } from '../api/operation.ts';
import { profilesPath, writeProfiles } from '../config/profiles.ts';
import type { JsonSchema } from '../http/validation/json-schema.ts';
import { commandTree } from './command-tree.ts';
import { loadProgram, run } from './run.ts';

/** Without it, signing in would wait for seconds before its first poll. */
vi.mock('node:timers/promises', async (original) => ({
  ...(await original<typeof import('node:timers/promises')>()),
  setTimeout: () => Promise.resolve(),
}));

/**
 * Dense, so that even a short piece of it, such as the hour of a time, would control a terminal.
 */
const evil = '\u001b[2J\u009d0;\u0007\u202e\r\u009b'.repeat(3);
const controls = /[^\P{Cc}\n\t]|[\u2028-\u202e\u2066-\u2069]/u;

const operations = Object.entries<Operation>(contract);

/** The fields of all responses that are neither objects nor lists. */
const fields = new Set(
  [...operations.map(([, { response }]) => response.body), ...Object.values(schemas)].flatMap(plainFields),
);

function plainFields(schema: JsonSchema = {}): readonly string[] {
  const { properties = {}, items, anyOf = [] } = schema;
  const parts = [...Object.values(properties), ...anyOf, ...(items === undefined ? [] : [items])];
  const names = Object.keys(properties).filter((name) => isPlain(properties[name]));
  return [...names, ...parts.flatMap(plainFields)];
}

function isPlain({ type, $ref, anyOf = [] }: JsonSchema = {}): boolean {
  return $ref === undefined && type !== 'object' && type !== 'array' && anyOf.every(isPlain);
}

function isList(method: string, pathname: string): boolean {
  const matches = (route: string) =>
    new RegExp(`^${route.replaceAll(/:\w+/g, '[^/]+')}$`).test(
      `${method} ${pathname.replace('/api/v1', '')}`,
    );
  const body: JsonSchema | undefined = operations.find(([route]) => matches(route))?.[1].response.body;
  return body?.properties?.data?.type === 'array';
}

/** Has the fields that any command reads, with text even where a number or a time is expected. */
const texts = Object.fromEntries([...fields].map((field) => [field, evil]));
const resource = {
  ...texts,
  config: { [evil]: evil },
  designated_version: { version: evil, created_at: evil, system_prompt: evil, config: { [evil]: evil } },
  labels: { [evil]: evil },
  presets: [evil],
  providers: [evil],
  redaction_patterns: [evil],
  workspaces: [{ slug: evil, role: evil }],
  organization: { name: evil, role: evil },
  credential: { label: evil, kind: evil, scope: evil, expires_at: evil },
  tags: [evil],
  variables: { [evil]: evil },
  messages: [{ role: 'user', content: evil }],
  rate_limit: { requests: evil, interval: evil },
  data: [{ date: evil, model: evil, request_count: evil, total_usage: evil }],
  presetd: {
    ...texts,
    feedback: [{ category: evil, comment: evil }],
    fallbacks: [evil],
    price: { input_per_million: evil, request: evil },
  },
  before: { [evil]: evil },
  after: { [evil]: { [evil]: evil } },
  from: { version: evil },
  to: { version: evil },
  config_patch: [{ op: 'replace', path: `/${evil}`, value: evil }],
  system_prompt_diff: `@@ ${evil}\n+${evil}\n-${evil}`,
};

const exported = [
  { type: 'export', format: 1, presets: 1 },
  { type: 'preset', slug: evil, versions: 1, description: evil },
  { type: 'version', slug: evil, version: 1, system_prompt: `é${evil}` },
  { type: 'end', presets: 1, versions: 1 },
]
  .map((line) => `${JSON.stringify(line)}\n`)
  .join('');

const repriced = {
  type: 'end',
  ...{ examined_calls: evil, expected_calls: evil, unreachable_calls: evil, changed_calls: 2 },
  ...{ from: evil, to: evil, old_cost: evil, new_cost: evil },
  models: [{ model: evil, upstream: evil, calls: 1, unpriced_calls: evil, old_cost: evil, new_cost: evil }],
};

const respond: RequestListener = ({ url = '', method = '' }, response) => {
  const { pathname } = new URL(url, 'http://localhost');
  if (pathname.endsWith('/reprice')) {
    response.setHeader('content-type', 'application/x-ndjson');
    response.end(`${JSON.stringify(repriced)}\n`);
    return;
  }
  if (pathname.endsWith('/export')) {
    response.setHeader('content-type', 'application/x-ndjson');
    // Byte by byte, so that multi-byte characters are split.
    for (const byte of Buffer.from(exported)) response.write(Buffer.of(byte));
    response.end();
    return;
  }
  if (pathname.endsWith('/device/token')) {
    response.end(JSON.stringify({ data: { status: 'approved', key: 'some-key' } }));
    return;
  }
  const outcome = pathname.includes('/members/') ? 'differs' : 'conflict';
  const data = pathname.endsWith('/tags') ? [evil] : { ...resource, outcome };
  response.setHeader('x-presetd-ignored-fields', encodeURIComponent(evil));
  response.end(
    JSON.stringify({
      data: isList(method, pathname) ? [data] : data,
      key: evil,
      url: evil,
      expires_at: evil,
      total_count: evil,
      next_cursor: evil,
      removed_count: evil,
      left_out: [{ field: evil, message: evil }],
      left_out_count: evil,
    }),
  );
};

const commands = [
  'preset list',
  'preset list --json',
  'preset show demo',
  'preset show demo --version latest',
  'preset versions demo',
  'preset diff demo 1 2',
  'preset diff demo 1 unknown',
  'preset rollback demo latest',
  'preset promote demo 1',
  'preset edit demo --name other',
  'preset archive demo',
  'preset restore demo',
  'preset label demo',
  'preset label demo production 1',
  'preset alias demo',
  'preset alias demo other',
  'preset rename demo other',
  'preset tag demo',
  'preset tag demo support',
  'preset events demo',
  'case list demo',
  'case show demo some',
  'case set demo some request.json',
  'preset push demo request.json',
  'preset push demo request.json --dry-run',
  'key list',
  'key show some',
  'key current',
  'key create --name some',
  'key create --name some --json',
  'key edit some --expires-at never',
  'key rotate some',
  'key disable some',
  'key enable some',
  'key delete some',
  'workspace list',
  'workspace show some',
  'workspace use some --profile saved',
  'workspace create some',
  'workspace edit some --name other',
  'workspace content-log some',
  'workspace content-log some --on --redact x',
  'workspace delete some',
  'workspace members some',
  'workspace add-member some grace@example.com',
  'workspace remove-member some grace@example.com',
  'member list',
  'member show some',
  'member add grace@example.com',
  'member edit some --role org:admin',
  'member remove some',
  'member import people.csv',
  'workspace add-member some grace@example.com --role viewer',
  'workspace edit-member some grace@example.com --role viewer',
  'member list --details',
  'member show some --details',
  'member invite grace@example.com',
  'member sign-in-link some',
  'member deactivate some',
  'member reactivate some',
  'member sessions some',
  'usage',
  'usage --by model',
  'calls',
  'calls --json',
  'calls show some',
  'usage reprice --from 2027-01-01 --to 2027-01-02 --yes',
  'whoami',
  'whoami --json',
  'login --with-key',
  'login --no-browser',
  'profile list',
  'audit',
  'export',
  'import presets.ndjson',
  'import openai prompts.json',
];

const files = {
  'request.json': '{"messages":[]}',
  'prompts.json': '[{"id":"pmpt_1","model":"gpt-5","input":"Be brief."}]',
  'people.csv': 'email\ngrace@example.com\n',
  'presets.ndjson': exported.replaceAll(JSON.stringify(evil), '"demo"'),
};

const failures: Readonly<Record<string, RequestListener>> = {
  'a 400 with issues': (_, response) => response.writeHead(400).end(errorBody([issue, issue])),
  'a 401': (_, response) => response.writeHead(401).end(errorBody([issue])),
  'a 500': (_, response) => response.writeHead(500).end(errorBody([])),
  'malformed issues': (_, response) => response.writeHead(400).end(errorBody(evil)),
  'a redirect': (_, response) => response.writeHead(302, { location: 'a\u009b2J' }).end(),
  'a content type': (_, response) => response.writeHead(200, { 'content-type': 'a\u009b2J' }).end(),
  'a malformed export': (_, response) =>
    response.writeHead(200, { 'content-type': 'application/x-ndjson' }).end(evil),
};

const issue = { path: evil, message: evil };

function errorBody(issues: unknown): string {
  return JSON.stringify({ error: { message: evil, metadata: { issues, request_id: evil } } });
}

const folder = mkdtempSync(join(tmpdir(), 'presetd-hostile-'));
for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);

afterAll(() => rmSync(folder, { recursive: true }));
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  process.exitCode = undefined;
});

/**
 * Everything that a command writes; standard output and standard error are the same terminal, or
 * none.
 */
async function outputOf(command: string, listener: RequestListener, isTTY = true): Promise<string> {
  const server = await startStubServer(listener);
  vi.stubEnv('PRESETD_URL', server.url);
  vi.stubEnv('PRESETD_API_KEY', 'some-key');
  for (const setting of ['NO_COLOR', 'NODE_DISABLE_COLORS', 'FORCE_COLOR']) vi.stubEnv(setting, undefined);
  vi.stubEnv('XDG_CONFIG_HOME', folder);
  const saved = {
    url: server.url,
    key: 'some-key',
    method: 'browser',
    email: evil,
    expiresAt: evil,
    workspace: { id: 'b2c1f4e0-7c3d-4f6a-9a51-3f2f9a7e6d10', slug: evil },
  } as const;
  writeProfiles({ current: 'saved', profiles: [{ name: 'saved', ...saved }] }, profilesPath());
  const chunks: Buffer[] = [];
  const screen = new Writable({
    write(chunk, _encoding, done) {
      chunks.push(chunk);
      done();
    },
  });
  Object.assign(screen, { isTTY });
  vi.spyOn(process, 'stdin', 'get').mockReturnValue(Readable.from(['some-key']) as typeof process.stdin);
  vi.spyOn(process, 'stdout', 'get').mockReturnValue(screen as typeof process.stdout);
  vi.spyOn(process, 'stderr', 'get').mockReturnValue(screen as typeof process.stderr);
  vi.spyOn(console, 'error').mockImplementation((text) => screen.write(`${text}\n`));
  await run(command.split(' ').map((word) => (word in files ? join(folder, word) : word)));
  await server.stop();
  return Buffer.concat(chunks).toString();
}

const ourCodes = [1, 2, 22, 31, 32, 36, 39].map((code) => `\u001b[${code}m`);

/** Removes our own colors and the sequences that redraw the progress bar. */
function withoutOurs(output: string): string {
  const withoutBar = output.replaceAll(/\r(?=Importing |Waiting |Comparing |Repricing )|\r?\p{Cc}\[K/gu, '');
  return ourCodes.reduce((text, code) => text.replaceAll(code, ''), withoutBar);
}

const callsNoServer =
  /^(serve|demo|migrate|recover|sign-in-link|backup|restore|completion|profile use|(\w+ )?help)$/;

/** They print nothing of a successful response. */
const isTriedWithFailures = (path: string) => ['health', 'logout', 'case remove'].includes(path);

describe('a malicious server', () => {
  it('every command that calls a server is tried with a hostile one', async () => {
    const tree = commandTree(await loadProgram(() => true));
    const paths = tree
      .filter(({ subcommands }) => subcommands.length === 0)
      .map(({ path }) => path.replace('presetd ', ''))
      .filter((path) => !callsNoServer.test(path) && !isTriedWithFailures(path));
    const isTried = (path: string) => commands.some((command) => `${command} `.startsWith(`${path} `));
    expect(paths.filter((path) => !isTried(path))).toEqual([]);
  });

  it.each(commands)('a malicious response to "%s" cannot control the terminal', async (command) => {
    const output = withoutOurs(await outputOf(command, respond));
    expect(output).toContain('\\u');
    expect(output).not.toMatch(controls);
    expect(output).not.toMatch(/\bundefined\b/);
  });

  it.each(Object.keys(failures))('%s cannot control the terminal', async (failure) => {
    for (const command of [
      'preset list',
      'key list',
      'export',
      'health',
      'case remove demo some',
      'login',
      'logout',
      'logout --force',
    ])
      expect(withoutOurs(await outputOf(command, failures[failure] ?? respond))).not.toMatch(controls);
  });

  it('our own colors reach the terminal', async () => {
    expect(await outputOf('key show some', respond)).toContain('\u001b[1m\\u001b[2J');
  });

  it('a server cannot add our colors if we use none', async () => {
    const red = '\u001b[31mred';
    const body = JSON.stringify({ data: [{ ...resource, slug: red }], total_count: red });
    expect(await outputOf('preset list', (_, response) => response.end(body), false)).not.toContain('\u001b');
  });

  it('an export goes to a pipe unchanged', async () => {
    const output = await outputOf('export', respond, false);
    expect(output).toBe(`${exported}Exported 1 preset with 1 version.\n`);
  });

  it('an export on a terminal is escaped, with the same JSON value', async () => {
    const lines = withoutOurs(await outputOf('export', respond))
      .split('\n')
      .slice(0, 4);
    expect(lines.map((line) => JSON.parse(line))).toEqual(
      exported
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    );
  });
});
