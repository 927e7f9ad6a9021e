import { cpSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inject } from 'vitest';
import { makeFolderOnce } from './make-folder-once.ts';
import { execFileInTest } from './test-scope.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** The npm package, as the Dockerfile packs it. */
export interface PackedPackage {
  /** The build context, with the dependencies and the dashboard of this checkout. */
  readonly context: string;
  /** Where `deploy/steps.sh pack` has put the package. */
  readonly folder: string;
}

/**
 * Packs presetd, once per run of the tests: building and compressing take four seconds of CPU time.
 * Two files that need it at the same time may both do it.
 */
export async function packPackage(): Promise<PackedPackage> {
  const folder = join(inject('runFolder'), 'packed');
  const partsIn = (parent: string) => ({ context: join(parent, 'src'), folder: join(parent, 'package') });
  await makeFolderOnce(folder, async (draft) => {
    const { context, folder: target } = partsIn(draft);
    copyBuildContext(context);
    // Reuse the dependencies that "fetch" would install and the dashboard that "pack" would build.
    symlinkSync(join(root, 'node_modules'), join(context, 'node_modules'));
    cpSync(join(root, 'dashboard/dist'), join(context, 'dashboard/dist'), { recursive: true });
    await execFileInTest('deploy/steps.sh', ['pack', target], { cwd: context });
  });
  return partsIn(folder);
}

/** Copies what Docker would send as the build context. */
export function copyBuildContext(target: string): void {
  const ignored = readFileSync(join(root, 'deploy/Dockerfile.dockerignore'), 'utf8').trim().split('\n');
  cpSync(root, target, {
    recursive: true,
    filter: (path) => !ignored.includes(path.slice(root.length)),
  });
}
