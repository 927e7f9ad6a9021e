import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { exportCommand } from './export.ts';

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

it.each([
  [[], '/api/v1/export'],
  [['--no-drafts'], '/api/v1/export?drafts=false'],
])('presetd export %j requests %s', async (args, expected) => {
  const requested: (string | undefined)[] = [];
  const server = createServer(({ url }, response) => {
    requested.push(url);
    const lines = [
      { type: 'export', format: 1, presets: 0 },
      { type: 'end', presets: 0, versions: 0 },
    ];
    response.setHeader('content-type', 'application/x-ndjson');
    response.end(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  vi.stubEnv('PRESETD_URL', `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  vi.stubEnv('PRESETD_API_KEY', 'sk-test');
  vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  const folder = mkdtempSync(join(tmpdir(), 'presetd-test-'));
  await exportCommand().parseAsync([...args, '--output', join(folder, 'export')], { from: 'user' });
  rmSync(folder, { recursive: true });
  server.close();
  expect(requested).toEqual([expected]);
});
