import { execFileSync } from 'node:child_process';
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { productVersion } from '../../src/package.ts';
import { createWorkingDirectory, spawnCommand, startServerProcess } from '../support/command.ts';
import { type InstalledPackage, installPackage } from '../support/installed-package.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const apiKey = 'bootstrap-key-12345';

let installed: InstalledPackage;
const directory = createWorkingDirectory();
const home = createWorkingDirectory();
beforeAll(async () => {
  installed = await installPackage();
});
afterAll(() => {
  installed.remove();
  directory.remove();
  home.remove();
});

describe('the package', () => {
  it('the package has few JavaScript files, because each takes time to load', () => {
    const modules = installed.files.filter((path) => path.startsWith('dist/'));
    expect(modules).toEqual(expect.arrayContaining(['dist/run.js', 'dist/tokenizer-worker.js']));
    expect(modules.length).toBeLessThan(100);
  });

  it('the package contains every file and dependency that its JavaScript imports', () => {
    const modules = installed.files.filter((path) => path.startsWith('dist/'));
    const load = `for (const path of ${JSON.stringify(modules)}) await import('./' + path);`;
    execFileSync(process.execPath, ['--input-type=module', '--eval', load], {
      cwd: installed.folder,
      stdio: 'pipe',
    });
  });

  it('the package has the migrations of both engines', () => {
    const migrations = globSync('migrations/{sqlite,postgres}/*.sql', { cwd: root });
    expect(migrations.length).toBeGreaterThan(2);
    expect(installed.files.filter((path) => path.startsWith('migrations/')).sort()).toEqual(
      migrations.sort(),
    );
  });

  it('the package has the licenses of all libraries in the dashboard bundle', () => {
    const licenses = readFileSync(join(installed.folder, 'dashboard', 'dist', 'licenses.md'), 'utf8');
    for (const name of ['react-dom', 'The Inter Project Authors', 'The JetBrains Mono Project Authors'])
      expect(licenses).toContain(name);
  });

  it('the package has nothing else but its executable, license and documentation', () => {
    const rest = installed.files.filter((path) => !/^(dist|migrations|dashboard\/dist)\//.test(path));
    expect(rest.filter((path) => !/^docs\/(clients\/)?[\w-]+\.md$/.test(path)).sort()).toEqual([
      'CHANGELOG.md',
      'LICENSE',
      'README.md',
      'bin/presetd.js',
      'bin/run-in-node.js',
      'package.json',
    ]);
  });
});

describe('the installed program', () => {
  const program = (node: string) => ({ node, script: installed.executable });
  const presetd = (args: readonly string[], environment = {}, node = process.execPath) =>
    spawnCommand(args, directory.path, environment, '', program(node));

  // An older one only if this machine has it, and then it starts the bundled one:
  // run-in-node.test.ts covers that everywhere, for servers too.
  it.each([process.execPath, ...olderNodes()])(
    'the installed program prints its version in %s',
    async (node) => {
      const printed = await presetd(['--version'], {}, node);
      expect(printed).toEqual({ code: 0, stdout: `${productVersion}\n`, stderr: '' });
    },
  );

  it('the installed program serves API and dashboard, stores presets, and stops gracefully', async () => {
    const server = await startServerProcess(
      directory.path,
      { PRESETD_BOOTSTRAP_API_KEY: apiKey, DATABASE_URL: 'sqlite:serves.db', HOME: home.path },
      program(process.execPath),
    );
    // If an expectation fails, the server would otherwise outlive the tests.
    onTestFinished(async () => void (await server.stop()));
    const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ model: 'm', messages: [{ role: 'system', content: 'Be brief.' }] });
    const preset = `${server.url}/api/v1/presets/installed`;
    expect((await fetch(`${preset}/chat/completions`, { method: 'POST', headers, body })).status).toBe(200);
    expect(await (await fetch(preset, { headers })).json()).toMatchObject({
      data: { slug: 'installed', designated_version: { system_prompt: 'Be brief.' } },
    });
    // Counted by a thread of its own. Its length alone would make three tokens more.
    const count = JSON.stringify({
      model: 'm',
      messages: [{ role: 'user', content: 'internationalization' }],
    });
    const counting = fetch(`${server.url}/api/v1/messages/count_tokens`, {
      method: 'POST',
      headers,
      body: count,
    });
    expect(await (await counting).json()).toEqual({ input_tokens: 6 });
    expect((await fetch(`${server.url}/docs/`)).status).toBe(200);
    const [, script] = /<script [^>]*src="([^"]+)"/.exec(await (await fetch(server.url)).text()) ?? [];
    expect((await fetch(`${server.url}${script}`)).headers.get('content-type')).toContain('javascript');
    const list = await presetd(['preset', 'list'], { PRESETD_URL: server.url, PRESETD_API_KEY: apiKey });
    expect(list).toMatchObject({ code: 0, stdout: expect.stringContaining('installed'), stderr: '' });
    const { code, stdout } = await server.stop();
    expect([code, stdout]).toEqual([0, expect.stringContaining('"stopped"')]);
    expect(readdirSync(home.path)).toEqual([]);
  });
});

/** The first Node.js on the PATH that is too old for presetd, or none. */
function olderNodes(): readonly string[] {
  const onPath = (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, 'node'));
  const majorOf = (node: string) =>
    Number.parseInt(execFileSync(node, ['-p', 'process.versions.node'], { encoding: 'utf8' }), 10);
  return onPath.filter((node) => existsSync(node) && majorOf(node) < 24).slice(0, 1);
}
