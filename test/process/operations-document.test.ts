import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { clientSettings } from '../../src/client-config.ts';
import { settings } from '../../src/config.ts';
import { createWorkingDirectory, runCommand } from '../support/command.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const root = new URL('../../', import.meta.url);
const page = new URL('docs/operations.md', root);
const text = readFileSync(page, 'utf8');
const directory = createWorkingDirectory();

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer('sqlite', { PRESETD_METRICS_PORT: '0' });
});
afterAll(async () => {
  await server.stop();
  directory.remove();
});

it('shows commands that work, in their order', async () => {
  const blocks = [...text.matchAll(/^```sh\n(.*?)^```/gms)].map(([, block = '']) => block);
  const lines = blocks.flatMap((block) => block.split('\n')).filter((line) => line.startsWith('presetd '));
  // What serves does not end; test/process/workers.test.ts starts it.
  expect(lines.splice(0, 1)).toEqual(['presetd serve --workers auto']);
  expect(lines).toHaveLength(3);
  for (const line of [...lines, 'presetd health', 'presetd health --live']) {
    expect(text).toContain(line);
    const words = line
      .replaceAll('"', '')
      .replace('$(date +%F)', 'today')
      .replaceAll('/var/backups', directory.path);
    const url = line.includes('restore') ? `sqlite:${join(directory.path, 'new.db')}` : server.database.url;
    const environment = { DATABASE_URL: url, PRESETD_URL: server.url };
    const { code, stderr } = await runCommand(words.split(' ').slice(1), directory.path, environment);
    expect([line, code, stderr]).toEqual([line, 0, '']);
  }
});

it('names settings and metrics that exist', async () => {
  const known = Object.keys({ ...settings, ...clientSettings });
  for (const [name] of text.matchAll(/\bPRESETD_[A-Z_]+\b/g)) expect(known).toContain(name);
  const metrics = await (await fetch(`${server.metricsUrl}/metrics`)).text();
  const names = [...text.matchAll(/\b(?:presetd|process|nodejs)_[a-z0-9_]+\b/g)].map(([name]) => name);
  expect(names.length).toBeGreaterThan(8);
  for (const name of names) expect(metrics).toContain(`# TYPE ${name.replace(/_bucket$/, '')} `);
});

it('links to files and sections that exist', () => {
  for (const [, path = '', section] of text.matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]+))?\)/g)) {
    const target = path === '' ? page : new URL(path, page);
    expect(existsSync(target), path).toBe(true);
    const headings = [...readFileSync(target, 'utf8').matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
      heading.toLowerCase().replaceAll(' ', '-'),
    );
    if (section !== undefined) expect(headings).toContain(section);
  }
});
