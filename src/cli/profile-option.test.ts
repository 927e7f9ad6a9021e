import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { runCommand } from '../../test/support/run-command.ts';

const folder = mkdtempSync(join(tmpdir(), 'presetd-profile-option-'));
writeFileSync(join(folder, 'request.json'), '{"messages":[]}');
writeFileSync(join(folder, 'prompts.json'), '{}');
afterAll(() => rmSync(folder, { recursive: true }));

it.each([
  'preset list',
  'preset push demo request.json',
  'preset label demo',
  'export',
  'import request.json',
  'import openai prompts.json',
  'key list',
  'key current',
  'workspace add-member default ada@example.com',
  'member list',
  'member import request.json',
  'audit',
])('%s uses the profile that --profile names', async (command) => {
  const { code, stderr } = await runCommand([...command.split(' '), '--profile', 'gone'], folder);
  expect([code, stderr]).toEqual([4, 'There is no profile gone. Create it with "presetd login".\n']);
});
