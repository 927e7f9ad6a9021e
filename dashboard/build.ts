/**
 * Builds the dashboard into `dashboard/dist`, the folder that the server serves.
 *
 * `npm start` runs this with `--if-stale`, so a checkout always serves pages that match its
 * sources. A SHA-256 of every input is stored next to the output; a build with a matching hash is
 * skipped. Browser tests and packaging use the same entry point, possibly at the same time, so the
 * output is built in a temporary folder and moved into place in one step.
 */

import { createHash } from 'node:crypto';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  globSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, gzipSync, constants as zlib } from 'node:zlib';

const folder = fileURLToPath(new URL('.', import.meta.url));
const dist = join(folder, 'dist');
const hashFile = 'sources.sha256';

/**
 * Builds the static files. With `onlyIfStale`, does nothing when `dist` already matches the
 * sources. `report` gets each step, for people who wait.
 */
export async function buildDashboard({
  onlyIfStale = false,
  report = (_step: string) => {},
} = {}): Promise<'built' | 'fresh'> {
  const hash = hashSources();
  if (onlyIfStale && builtHash() === hash) return 'fresh';
  const startedAt = performance.now();
  report('Building the dashboard, which can take a minute…');
  const { build } = await import('vite');
  // Build to a temporary folder and rename it: an interrupted or concurrent build must not leave a
  // half-written `dist`.
  const outDir = mkdtempSync(join(folder, 'dist-'));
  try {
    await build({ configFile: join(folder, 'vite.config.ts'), logLevel: 'warn', build: { outDir } });
    appendFontLicenses(outDir);
    report('Compressing its files…');
    compressFiles(outDir);
    writeFileSync(join(outDir, hashFile), hash);
    // mkdtemp creates the folder for its owner only, but another user may run the server.
    chmodSync(outDir, 0o755);
    replaceDist(outDir, hash);
    report(`The dashboard is built (${Math.round((performance.now() - startedAt) / 1_000)} s).`);
  } finally {
    rmSync(outDir, { recursive: true, force: true });
  }
  return 'built';
}

/** Hashes every input: the pages, the server modules they import, the guides, and the lockfile. */
function hashSources(): string {
  const root = join(folder, '..');
  const names = [
    ...globSync('dashboard/{src,public}/**/*.*', { cwd: root }),
    ...globSync('src/{api,core,dialects,member-import}/**/*.ts', { cwd: root }),
    ...globSync('docs/{,clients/}*.md', { cwd: root }),
    ...globSync('dashboard/*.{html,ts}', { cwd: root }),
    'package-lock.json',
  ];
  const hash = createHash('sha256');
  for (const name of names.filter(isBuildInput).sort())
    hash.update(`${name}\0`).update(readFileSync(join(root, name)));
  return hash.digest('hex');
}

function isBuildInput(name: string): boolean {
  return !name.endsWith('.test.ts');
}

/** The source hash of the current `dist`; undefined when nothing is built. */
function builtHash(): string | undefined {
  const file = join(dist, hashFile);
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}

/**
 * Vite collects the licenses of scripts. Fonts are imported by style sheets, so add theirs here.
 */
function appendFontLicenses(outDir: string): void {
  const fonts = join(folder, '..', 'node_modules', '@fontsource-variable');
  for (const font of globSync('*/LICENSE', { cwd: fonts }).sort())
    appendFileSync(
      join(outDir, 'licenses.md'),
      `\n## ${dirname(font)}\n\n${readFileSync(join(fonts, font), 'utf8')}`,
    );
}

/** Compresses every text file once, at build time, instead of on every request. */
function compressFiles(outDir: string): void {
  for (const name of globSync('**/*.{html,js,css,svg}', { cwd: outDir })) {
    const content = readFileSync(join(outDir, name));
    writeFileSync(join(outDir, `${name}.gz`), gzipSync(content, { level: 9 }));
    const params = { [zlib.BROTLI_PARAM_SIZE_HINT]: content.length };
    writeFileSync(join(outDir, `${name}.br`), brotliCompressSync(content, { params }));
  }
}

/** Swaps the finished build into place; the previous one is moved aside first and then deleted. */
function replaceDist(outDir: string, hash: string): void {
  const old = mkdtempSync(join(folder, 'dist-'));
  try {
    if (existsSync(dist)) renameSync(dist, join(old, 'dist'));
    renameSync(outDir, dist);
  } catch (error) {
    // Another process finished the same build first. That is fine if it has the same hash.
    if (builtHash() !== hash) throw error;
  } finally {
    rmSync(old, { recursive: true, force: true });
  }
}

async function main(): Promise<void> {
  // A NODE_ENV inherited from the shell would bundle the slower development build of React.
  process.env.NODE_ENV = 'production';
  const onlyIfStale = process.argv.includes('--if-stale');
  try {
    await buildDashboard({ onlyIfStale, report: (step) => console.log(step) });
  } catch (error) {
    const reason = toleratedReason(error);
    if (!onlyIfStale || reason === undefined) throw error;
    console.warn(`The dashboard was not built: ${reason} The API works without it.`);
  }
}

/**
 * Why the build failed, if the server can still start without it; undefined for any other error.
 */
function toleratedReason(error: unknown): string | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ERR_MODULE_NOT_FOUND')
    return 'its build tools are not installed (run npm ci without --omit=dev).';
  return code === 'EACCES' || code === 'EROFS' ? 'its folder is not writable.' : undefined;
}

if (import.meta.main) await main();
