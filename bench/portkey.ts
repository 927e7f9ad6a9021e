import { execFileSync } from 'node:child_process';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cacheFolder, makeFolderOnce } from '../test/support/make-folder-once.ts';
import manifest from './portkey-package/package.json' with { type: 'json' };
import { type ServerProcess, startCommand } from './server-process.ts';

/** Not a dependency of presetd: it brings 66 packages, which only these benchmarks need. */
const packageFolder = fileURLToPath(new URL('portkey-package', import.meta.url));
const version = manifest.dependencies['@portkey-ai/gateway'];

/**
 * Starts Portkey's gateway as its documentation does for headless use, in production mode. The
 * first run installs it.
 */
export async function startPortkey(): Promise<ServerProcess> {
  const folder = join(cacheFolder, `portkey-${version}`);
  await makeFolderOnce(folder, async (draft) => {
    process.stderr.write(`installing Portkey's gateway ${version}\n`);
    cpSync(packageFolder, draft, { recursive: true });
    execFileSync('npm', ['ci', '--ignore-scripts', '--loglevel=error'], {
      cwd: draft,
      stdio: ['ignore', process.stderr.fd, process.stderr.fd],
    });
  });
  const preload = new URL('./portkey-preload.ts', import.meta.url).href;
  const script = join(folder, 'node_modules/@portkey-ai/gateway/build/start-server.js');
  const args = ['--import', preload, script, '--headless'];
  return startCommand('portkey', process.execPath, args, { NODE_ENV: 'production' });
}
