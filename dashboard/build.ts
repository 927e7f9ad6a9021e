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
const stampFile = 'sources.sha256';

/** Makes the static files in `dashboard/dist`; with `onlyIfStale`, when they are missing or their sources changed. */
export async function buildDashboard({ onlyIfStale = false } = {}): Promise<'built' | 'fresh'> {
  const stamp = hashOfSources();
  if (onlyIfStale && stampOfBuilt() === stamp) return 'fresh';
  const { build } = await import('vite');
  // Built aside and moved when it is whole: a build that is broken off, or two at a time, leave no half of one.
  const outDir = mkdtempSync(join(folder, 'dist-'));
  try {
    await build({ configFile: join(folder, 'vite.config.ts'), logLevel: 'warn', build: { outDir } });
    addLicensesOfFonts(outDir);
    compressFiles(outDir);
    writeFileSync(join(outDir, stampFile), stamp);
    // A temporary folder is for its owner only; whoever runs the server may be somebody else.
    chmodSync(outDir, 0o755);
    replaceDist(outDir, stamp);
  } finally {
    rmSync(outDir, { recursive: true, force: true });
  }
  return 'built';
}

/** Everything that a build depends on: the pages, what they take from the server's own sources, and the libraries. */
function hashOfSources(): string {
  const root = join(folder, '..');
  const names = [
    ...globSync('dashboard/{src,public}/**/*.*', { cwd: root }),
    ...globSync('src/{client,core,dialects}/**/*.ts', { cwd: root }),
    ...['dashboard/index.html', 'dashboard/vite.config.ts', 'dashboard/build.ts', 'package-lock.json'],
  ];
  const hash = createHash('sha256');
  for (const name of names.filter(isBuilt).sort())
    hash.update(`${name}\0`).update(readFileSync(join(root, name)));
  return hash.digest('hex');
}

function isBuilt(name: string): boolean {
  return !name.endsWith('.test.ts');
}

function stampOfBuilt(): string | undefined {
  const file = join(dist, stampFile);
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}

/** Vite writes down those of the scripts; fonts come in by way of the styles. */
function addLicensesOfFonts(outDir: string): void {
  const fonts = join(folder, '..', 'node_modules', '@fontsource-variable');
  for (const font of globSync('*/LICENSE', { cwd: fonts }).sort())
    appendFileSync(
      join(outDir, 'licenses.md'),
      `\n## ${dirname(font)}\n\n${readFileSync(join(fonts, font), 'utf8')}`,
    );
}

/** Once here instead of at every request. */
function compressFiles(outDir: string): void {
  for (const name of globSync('**/*.{html,js,css,svg}', { cwd: outDir })) {
    const content = readFileSync(join(outDir, name));
    writeFileSync(join(outDir, `${name}.gz`), gzipSync(content, { level: 9 }));
    const params = { [zlib.BROTLI_PARAM_SIZE_HINT]: content.length };
    writeFileSync(join(outDir, `${name}.br`), brotliCompressSync(content, { params }));
  }
}

function replaceDist(outDir: string, stamp: string): void {
  const old = mkdtempSync(join(folder, 'dist-'));
  try {
    if (existsSync(dist)) renameSync(dist, join(old, 'dist'));
    renameSync(outDir, dist);
  } catch (error) {
    // Somebody else was faster, with the same pages.
    if (stampOfBuilt() !== stamp) throw error;
  } finally {
    rmSync(old, { recursive: true, force: true });
  }
}

async function main(): Promise<void> {
  // Otherwise what somebody has in their environment would make pages that are slower and larger.
  process.env.NODE_ENV = 'production';
  const onlyIfStale = process.argv.includes('--if-stale');
  if (!onlyIfStale || stampOfBuilt() !== hashOfSources()) console.log('Building the dashboard…');
  try {
    await buildDashboard({ onlyIfStale });
  } catch (error) {
    const reason = reasonNotToBuild(error);
    if (!onlyIfStale || reason === undefined) throw error;
    console.warn(`The dashboard is not built: ${reason} The API works without it.`);
  }
}

/** A server whose pages cannot be built here still has an API. */
function reasonNotToBuild(error: unknown): string | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ERR_MODULE_NOT_FOUND')
    return 'the packages for that are not installed (npm ci without --omit=dev brings them).';
  return code === 'EACCES' || code === 'EROFS' ? 'its folder cannot be written to.' : undefined;
}

if (import.meta.main) await main();
