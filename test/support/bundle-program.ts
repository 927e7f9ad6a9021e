/**
 * Bundles the command line and the server with their dependencies, for tests that start them as a
 * process.
 *
 * Loading some 700 files, most of them TypeScript, is half of the CPU time of such a process, and
 * the tests start about 300. The bundle is built once per state of the sources: its folder is named
 * after the hash of everything that goes into it, so it cannot be stale. Several tests still run
 * `bin/presetd.js` itself, and `package.test.ts` the package.
 *
 * Compiling functions takes a sixth of the startup of a server. The compile cache of Node.js lacks
 * most of them, because it saves only what was compiled when a module was loaded. The bundle has
 * its own loader, which uses the code that a server had compiled by the time it stopped.
 */

import { createHash } from 'node:crypto';
import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';
import { saveCompiledCode } from './save-compiled-code.ts';

const checkout = fileURLToPath(new URL('../..', import.meta.url));
const cache = join(checkout, 'node_modules/.cache/presetd-test-program');
const script = 'presetd.js';
const tools = ['test/support/bundle-program.ts', 'test/support/save-compiled-code.ts'];
const unusedMs = 24 * 3_600_000;

/**
 * Returns the path of a script that does what `bin/presetd.js` does in a checkout: this one, or
 * that of another version, which gets the dependencies of this one.
 */
export async function bundleProgram(root = checkout): Promise<string> {
  const folder = join(cache, hashSources(root));
  if (!existsSync(folder)) {
    mkdirSync(cache, { recursive: true });
    removeUnused();
    const draft = mkdtempSync(join(cache, 'draft-'));
    await build(draft, root);
    // Tests start few servers of other versions.
    if (root === checkout) await saveCompiledCode(join(draft, script));
    // Another run may have finished the same build first.
    if (existsSync(folder)) rmSync(draft, { recursive: true });
    else renameSync(draft, folder);
  }
  return join(folder, script);
}

function hashSources(root: string): string {
  const hash = createHash('sha256').update(process.version);
  const names = globSync(['src/**/*.ts', 'bin/*.js'], { cwd: root });
  for (const name of names.filter((each) => !each.endsWith('.test.ts')).sort())
    hash.update(`${name}\0`).update(readFileSync(join(root, name)));
  for (const name of ['bin/run-in-node.js', 'package-lock.json', ...tools])
    hash.update(readFileSync(join(checkout, name)));
  return hash.digest('hex').slice(0, 24);
}

async function build(folder: string, root: string): Promise<void> {
  const bundle = await rolldown({
    input: join(root, 'src/cli/run.ts'),
    platform: 'node',
    logLevel: 'silent',
    // Some CommonJS entries load their parts with names that only they know.
    resolve: { mainFields: ['module', 'main'] },
    // Optional parts of pg and ws, which are not installed, and a package with files next to it.
    external: ['pg-native', 'bufferutil', 'utf-8-validate', '@fastify/swagger-ui'],
    plugins: [{ name: 'own-urls', transform: (code, id) => withOwnUrl(code, id, root) }],
  });
  // Node.js reads and hashes all text even if the compiled code is cached. Names stay.
  const minify = { compress: true, mangle: false, codegen: { removeWhitespace: true } };
  await bundle.write({ dir: folder, format: 'cjs', minify });
  await bundle.close();
  const runInNode = pathToFileURL(join(checkout, 'bin/run-in-node.js')).href;
  // Only for the script; the others are loaded by it.
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  writeFileSync(join(folder, script), loaderOf(runInNode));
}

const loaderOf = (runInNode: string) => `
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
// Opens the standard streams, as it does in the sources.
import process from 'node:process';
import { constants, Script } from 'node:vm';
import { stopWithParent } from ${JSON.stringify(runInNode)};
stopWithParent();
const folder = import.meta.dirname;
const requireInstalled = createRequire(import.meta.url);
const modules = new Map();
const scripts = new Map();
function load(name) {
  const known = modules.get(name);
  if (known !== undefined) return known.exports;
  const module = { exports: {} };
  modules.set(name, module);
  const filename = folder + '/' + name;
  const compiled = filename + '.compiled';
  const text = readFileSync(filename, 'utf8');
  const script = new Script('(function (exports, require, module, __filename, __dirname) {' + text + '\\n})', {
    filename,
    ...(existsSync(compiled) && { cachedData: readFileSync(compiled) }),
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
  scripts.set(compiled, script);
  script.runInThisContext()(module.exports, requireHere, module, filename, folder);
  return module.exports;
}
function requireHere(id) {
  return id.startsWith('./') ? load(id.slice(2)) : requireInstalled(id);
}
if (process.env.SAVE_COMPILED_CODE === 'true')
  process.on('exit', () => {
    for (const [file, script] of scripts) writeFileSync(file, script.createCachedData());
  });
await load('run.js').run(process.argv.slice(2));
`;

/** Our modules find migrations, the dashboard and workers relative to themselves. */
function withOwnUrl(code: string, id: string, root: string): string | undefined {
  if (!id.startsWith(join(root, 'src')) || !code.includes('import.meta.url')) return undefined;
  return code.replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id).href));
}

function removeUnused(): void {
  for (const name of readdirSync(cache)) {
    const folder = join(cache, name);
    if (Date.now() - statSync(folder).mtimeMs > unusedMs) rmSync(folder, { recursive: true, force: true });
  }
}
