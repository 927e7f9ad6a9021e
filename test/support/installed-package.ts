import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packPackage } from './packed-package.ts';

/** The npm package of this checkout, installed in a temporary project. */
export interface InstalledPackage {
  /** The path of every file in the package, relative to its root. */
  readonly files: readonly string[];
  readonly folder: string;
  /** The command that npm links into node_modules/.bin. */
  readonly executable: string;
  remove(): void;
}

interface Manifest {
  readonly version: string;
  readonly bin: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly optionalDependencies: Readonly<Record<string, string>>;
}

const root = fileURLToPath(new URL('../../', import.meta.url));

/**
 * Installs the package in an empty project, as npm does, but without the network: the dependencies
 * that the manifest names are linked from here. Nothing else is, so an undeclared dependency is not
 * found.
 */
export async function installPackage(): Promise<InstalledPackage> {
  const project = mkdtempSync(join(tmpdir(), 'presetd-package-'));
  const modules = join(project, 'node_modules');
  const folder = join(modules, 'presetd');
  const packed = await packPackage();
  const files = unpack(packed.folder, folder);
  const manifest = manifestIn(folder);
  for (const name of Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies }))
    link(join(root, 'node_modules', name), join(modules, name));
  const executable = join(modules, '.bin', 'presetd');
  link(join(folder, manifest.bin.presetd ?? ''), executable);
  return { files, folder, executable, remove: () => rmSync(project, { recursive: true, force: true }) };
}

/** Unpacks the tarball where npm would install it. Returns the paths of its files. */
function unpack(packedFolder: string, folder: string): readonly string[] {
  const tarball = join(packedFolder, `presetd-${manifestIn(root).version}.tgz`);
  mkdirSync(folder, { recursive: true });
  execFileSync('tar', ['-xzf', tarball, '-C', folder, '--strip-components=1']);
  const list = execFileSync('tar', ['-tzf', tarball], { encoding: 'utf8' });
  return list
    .trim()
    .split('\n')
    .map((path) => path.replace(/^package\//, ''));
}

function manifestIn(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
}

/** Optional packages for other platforms are not installed. */
function link(target: string, path: string): void {
  if (!existsSync(target)) return;
  mkdirSync(dirname(path), { recursive: true });
  symlinkSync(target, path);
}
