import {
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { checkout, createWorkingDirectory } from '../support/command.ts';
import { codeBlocksOf, documentUrl, readDocument } from '../support/documents.ts';
import { runCommand } from '../support/run-command.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { execFileInTest } from '../support/test-scope.ts';

/** These pages need root, systemd or a container engine, so only parts of them run here. */
const pages = [
  'docs/operations.md',
  'docs/cluster.md',
  'docs/backup.md',
  'docs/upgrade.md',
  'docs/monitoring.md',
  'docs/troubleshooting.md',
  'docs/sizing.md',
];
const text = pages.map(readDocument).join('\n');
const shellBlocksOf = (document: string) =>
  codeBlocksOf(document)
    .filter(({ language }) => language === 'sh')
    .map((block) => block.text);
const blocks = pages.flatMap(shellBlocksOf);
const directory = createWorkingDirectory();

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer('sqlite', { PRESETD_METRICS_PORT: '0' });
});
afterAll(async () => {
  await server.stop();
  directory.remove();
});

it('the operations pages show health checks that work', async () => {
  expect(blocks.filter((block) => block.startsWith('presetd serve'))).toEqual([
    // A server does not end by itself; test/process/workers.test.ts starts it.
    'presetd serve --workers auto\n',
  ]);
  for (const line of ['presetd health', 'presetd health --live']) {
    expect(text).toContain(line);
    const environment = { PRESETD_URL: server.url };
    const { code, stderr } = await runCommand(line.split(' ').slice(1), directory.path, environment);
    expect([line, code, stderr]).toEqual([line, 0, '']);
  }
});

it('the operations pages show a backup that deletes older ones only if it succeeds, a restore and a migration that work', async () => {
  const at = (path: string) => join(directory.path, path);
  for (const folder of ['bin', 'etc', 'lib', 'backups']) mkdirSync(at(folder));
  const programs = {
    presetd: `exec "${checkout.node}" "${checkout.script}" "$@"`,
    sudo: '[ "$1" != -u ] || shift 2; exec "$@"',
    systemctl: 'exit 0',
  };
  for (const [name, program] of Object.entries(programs))
    writeFileSync(at(`bin/${name}`), `#!/bin/sh\n${program}\n`, { mode: 0o755 });
  await runCommand(['backup', at('lib/presetd.db')], directory.path, { DATABASE_URL: server.database.url });
  writeFileSync(at('etc/.env'), `DATABASE_URL=sqlite:${at('lib/presetd.db')}\n`);
  const perform = (block: string) => {
    const here = block
      .replace('-o presetd -g presetd', '')
      .replaceAll('/var/backups', at('backups'))
      .replaceAll('/var/lib/presetd', at('lib'))
      .replaceAll('/etc/presetd', at('etc'));
    const env = { PATH: `${at('bin')}:${process.env.PATH}` };
    return execFileInTest('sh', ['-euc', here], { cwd: at('etc'), env });
  };
  const old = at('backups/presetd/old.db');
  const makeOld = () => {
    writeFileSync(old, '');
    utimesSync(old, new Date(0), new Date(0));
  };

  const [once = '', nightly = '', back = '', ...others] = blocks.filter(
    (block) => /presetd (backup|restore) /.test(block) && !block.includes('docker'),
  );
  expect(others).toEqual([]);
  expect((await perform(once)).stderr).toBe('');
  makeOld();
  expect((await perform(nightly)).stderr).toBe('');
  expect(existsSync(old)).toBe(false);
  makeOld();
  // Today's backup exists already.
  await expect(perform(nightly)).rejects.toMatchObject({ code: 1 });
  expect(existsSync(old)).toBe(true);
  expect(await perform(back)).toMatchObject({ stdout: expect.stringMatching(/^Restored /), stderr: '' });
  const [before = '', ...now] = readdirSync(at('lib')).sort();
  expect([now, readdirSync(at(`lib/${before}`))]).toEqual([['presetd.db'], ['presetd.db']]);
  const migrate = blocks.find((block) => block.includes('presetd migrate')) ?? '';
  expect((await perform(migrate)).stdout).toContain(at('lib/presetd.db'));
});

it('the operations pages use only files of deploy/ that exist', () => {
  const named = [...text.matchAll(/\bdeploy\/[\w.-]+/g)].map(([path]) => path);
  // The reader creates this one.
  const missing = named.filter((path) => path !== 'deploy/.env' && !existsSync(documentUrl(path)));
  expect(missing).toEqual([]);
});

it('docs/monitoring.md names every metric of presetd, and only metrics that exist', async () => {
  const metrics = await (await fetch(`${server.metricsUrl}/metrics`)).text();
  const own = [...metrics.matchAll(/^# TYPE (presetd_\S+) /gm)].map(([, name]) => name ?? '');
  const described = readDocument('docs/monitoring.md');
  expect(own.filter((name) => !described.includes(`\`${name}\``))).toEqual([]);
  const names = [...text.matchAll(/\b(?:presetd|process|nodejs)_[a-z0-9_]+\b/g)].map(([name]) => name);
  expect(names.length).toBeGreaterThan(8);
  for (const name of names) expect(metrics).toContain(`# TYPE ${name.replace(/_bucket$/, '')} `);
});

it('docs/troubleshooting.md quotes an error message that exists', () => {
  const sources = globSync('src/**/*.ts', { cwd: documentUrl('.') }).filter(
    (path) => !path.endsWith('.test.ts'),
  );
  const code = sources.map((path) => readFileSync(documentUrl(path), 'utf8')).join('\n');
  const message = 'too many writes are waiting';
  expect(readDocument('docs/troubleshooting.md')).toContain(`\`${message}\``);
  expect(code).toContain(message);
});
