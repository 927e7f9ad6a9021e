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
import { createWorkingDirectory, runCommand } from '../support/command.ts';
import { codeBlocksOf, documentUrl, readDocument } from '../support/documents.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { execFileInTest } from '../support/test-scope.ts';

/** What these pages show needs root, systemd or a container engine, so only parts of it run here. */
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

const blocks = [...text.matchAll(/^```sh\n(.*?)^```/gms)].map(([, block = '']) => block);

it('the commands in docs/operations.md work', async () => {
  expect(blocks.filter((block) => block.startsWith('presetd serve'))).toEqual([
    // A server does not end; test/process/workers.test.ts starts one.
    'presetd serve --workers auto\n',
  ]);
  for (const line of ['presetd health', 'presetd health --live']) {
    expect(text).toContain(line);
    const environment = { PRESETD_URL: server.url };
    const { code, stderr } = await runCommand(line.split(' ').slice(1), directory.path, environment);
    expect([line, code, stderr]).toEqual([line, 0, '']);
  }
});

it('the documented backup works, deletes old ones only on success, and can be restored', async () => {
  const at = (path: string) => join(directory.path, path);
  for (const folder of ['bin', 'etc', 'lib', 'backups']) mkdirSync(at(folder));
  const script = join(import.meta.dirname, '../../bin/presetd.js');
  const programs = {
    presetd: `exec "${process.execPath}" "${script}" "$@"`,
    sudo: '[ "$1" != -u ] || shift 2; exec "$@"',
    systemctl: 'exit 0',
  };
  for (const [name, program] of Object.entries(programs))
    writeFileSync(at(`bin/${name}`), `#!/bin/sh\n${program}\n`, { mode: 0o755 });
  await runCommand(['backup', at('lib/presetd.db')], directory.path, { DATABASE_URL: server.database.url });
  writeFileSync(at('etc/.env'), `DATABASE_URL=sqlite:${at('lib/presetd.db')}\n`);
  const runBlock = (block: string) => {
    const localized = block
      .replace('-o presetd -g presetd', '')
      .replaceAll('/var/backups', at('backups'))
      .replaceAll('/var/lib/presetd', at('lib'))
      .replaceAll('/etc/presetd', at('etc'));
    const env = { PATH: `${at('bin')}:${process.env.PATH}` };
    return execFileInTest('sh', ['-euc', localized], { cwd: at('etc'), env });
  };
  const old = at('backups/presetd/old.db');
  const makeOld = () => {
    writeFileSync(old, '');
    utimesSync(old, new Date(0), new Date(0));
  };

  const [single = '', nightly = '', restore = '', ...others] = blocks.filter(
    (block) => /presetd (backup|restore) /.test(block) && !block.includes('docker'),
  );
  expect(others).toEqual([]);
  expect((await runBlock(single)).stderr).toBe('');
  makeOld();
  expect((await runBlock(nightly)).stderr).toBe('');
  expect(existsSync(old)).toBe(false);
  makeOld();
  // Fails, because today's backup already exists.
  await expect(runBlock(nightly)).rejects.toMatchObject({ code: 1 });
  expect(existsSync(old)).toBe(true);
  expect(await runBlock(restore)).toMatchObject({ stdout: expect.stringMatching(/^Restored /), stderr: '' });
  const [before = '', ...now] = readdirSync(at('lib')).sort();
  expect([now, readdirSync(at(`lib/${before}`))]).toEqual([['presetd.db'], ['presetd.db']]);
  const migrate = blocks.find((block) => block.includes('presetd migrate')) ?? '';
  expect((await perform(migrate)).stdout).toContain(at('lib/presetd.db'));
});

it('every setting and metric in docs/operations.md exists', async () => {
  const known = Object.keys({ ...settings, ...clientSettings });
  for (const [name] of text.matchAll(/\bPRESETD_[A-Z_]+\b/g)) expect(known).toContain(name);
  const metrics = await (await fetch(`${server.metricsUrl}/metrics`)).text();
  const names = [...text.matchAll(/\b(?:presetd|process|nodejs)_[a-z0-9_]+\b/g)].map(([name]) => name);
  expect(names.length).toBeGreaterThan(8);
  for (const name of names) expect(metrics).toContain(`# TYPE ${name.replace(/_bucket$/, '')} `);
});

it('the links in docs/operations.md lead to existing files and sections', () => {
  for (const [, path = '', section] of text.matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]+))?\)/g)) {
    const target = path === '' ? page : new URL(path, page);
    expect(existsSync(target), path).toBe(true);
    const headings = [...readFileSync(target, 'utf8').matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
      heading.toLowerCase().replaceAll(' ', '-'),
    );
    if (section !== undefined) expect(headings).toContain(section);
  }
});
