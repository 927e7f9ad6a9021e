import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = new URL('../', import.meta.url);
const tests = globSync('{src,dashboard/src,test}/**/*.ts', { cwd: fileURLToPath(root) });

it('tests wait with expect.poll, whose timeout leaves a busy machine enough time', () => {
  // These give up after a second.
  const waits = /\bvi\.wait(For|Until)\(/;
  expect(tests.length).toBeGreaterThan(1_000);
  expect(tests.filter((file) => waits.test(readFileSync(new URL(file, root), 'utf8')))).toEqual([]);
});
