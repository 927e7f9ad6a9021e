import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeFolderOnce } from '../support/make-folder-once.ts';
import manifest from './stryker-package/package.json' with { type: 'json' };

/**
 * `npm run mutate FILES` breaks the files in one place at a time, runs the unit tests that import
 * them, and lists each fault that no test notices. `FILE:10-20` breaks only these lines.
 */

const root = fileURLToPath(new URL('../..', import.meta.url));
// In node_modules, where Stryker finds our Vitest, which it runs.
const version = manifest.dependencies['@stryker-mutator/core'];
const folder = join(root, 'node_modules', '.cache', `stryker-${version}`);

const files = process.argv.slice(2);
if (files.length === 0) {
  process.stderr.write('Name the files to mutate: npm run mutate src/core/text/words.ts\n');
  process.exit(1);
}
await makeFolderOnce(folder, install);
const { status } = spawnSync(
  process.execPath,
  [
    join(folder, 'node_modules/@stryker-mutator/core/bin/stryker.js'),
    'run',
    'test/mutation/stryker.config.ts',
    '--mutate',
    files.join(','),
  ],
  { cwd: root, stdio: 'inherit' },
);
process.exitCode = status ?? 1;

/** Not a dependency of presetd: it adds 177 packages, and few changes need it. */
async function install(draft: string): Promise<void> {
  process.stderr.write('Installing Stryker from the npm registry.\n');
  cpSync(fileURLToPath(new URL('stryker-package', import.meta.url)), draft, { recursive: true });
  // Our Vitest is its peer dependency, not another one.
  execFileSync(
    'npm',
    ['ci', '--ignore-scripts', '--legacy-peer-deps', '--prefer-offline', '--loglevel=error'],
    {
      cwd: draft,
      stdio: ['ignore', process.stderr.fd, process.stderr.fd],
    },
  );
}
