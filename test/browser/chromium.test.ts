import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, inject, test, vi } from 'vitest';
import { describeInBrowser } from '../support/browser.ts';
import { findChromium } from '../support/chromium.ts';
import { makeFolderOnce } from '../support/make-folder-once.ts';
import { debianChromium } from '../support/system-chromium.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'presetd-chromium-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describeInBrowser('findChromium', () => {
  const none = { name: 'nowhere', find: async () => undefined };

  test('skips a command that does not start a browser', async () => {
    const working = { name: 'working', find: async () => inject('chromium') };
    expect(await findChromium([none, stub('not a browser'), working], '')).toEqual(inject('chromium'));
  });

  test('rejects a wrong PRESETD_TEST_CHROMIUM without trying other sources', async () => {
    const working = { name: 'working', find: async () => inject('chromium') };
    await expect(findChromium([working], join(folder, 'missing'))).rejects.toThrow(
      /^PRESETD_TEST_CHROMIUM must be the path of a working Chromium, not ".*missing"/,
    );
  });

  test('says what to install or set, and what it tried, if there is no browser', async () => {
    await expect(findChromium([none, stub('needs a snap')], '')).rejects.toThrow(
      /PRESETD_TEST_CHROMIUM.*PRESETD_TEST_BROWSER=none(.|\n)*- stub: (.|\n)*needs a snap/,
    );
  });

  function stub(message: string) {
    const executablePath = command('stub', `echo "${message}" >&2; exit 1`);
    return { name: 'stub', find: async () => ({ executablePath, environment: {} }) };
  }
});

test('makeFolderOnce leaves nothing behind when it fails', async () => {
  const target = join(folder, 'cache', 'made');
  const failing = makeFolderOnce(target, async (draft) => {
    writeFileSync(join(draft, 'half'), '');
    throw new Error('interrupted');
  });
  await expect(failing).rejects.toThrow('interrupted');
  expect(readdirSync(join(folder, 'cache'))).toEqual([]);
});

test('makeFolderOnce tolerates concurrent callers and reuses a finished folder', async () => {
  const target = join(folder, 'made');
  let makers = 0;
  const make = async (draft: string) => {
    makers += 1;
    await new Promise(setImmediate);
    writeFileSync(join(draft, 'whole'), '');
  };
  await Promise.all([makeFolderOnce(target, make), makeFolderOnce(target, make)]);
  await makeFolderOnce(target, make);
  expect(makers).toBe(2);
  expect([readdirSync(folder), readdirSync(target)]).toEqual([['made'], ['whole']]);
});

describe("Debian's package", () => {
  beforeEach(() => {
    vi.stubEnv('PATH', folder);
    vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  });
  afterEach(() => {
    vi.unstubAllEnvs();
    vi.restoreAllMocks();
  });

  test('is installed and found if the user is root', async () => {
    vi.spyOn(process, 'getuid').mockReturnValue(0);
    const installed = join(folder, 'chromium');
    command(
      'apt-get',
      `echo "$@" >> ${folder}/log; case $1 in install) /bin/cp ${folder}/apt-get ${installed};; esac`,
    );
    expect(await debianChromium()).toEqual({ executablePath: installed, environment: {} });
    expect(readFileSync(join(folder, 'log'), 'utf8')).toBe(
      'update\ninstall -y --no-install-recommends chromium\n',
    );
    expect(process.stderr.write).toHaveBeenCalledWith(expect.stringContaining("installing Debian's package"));
  });

  test('is skipped if it cannot be installed', async () => {
    vi.spyOn(process, 'getuid').mockReturnValue(0);
    expect(await debianChromium()).toBeUndefined();
    vi.spyOn(process, 'getuid').mockReturnValue(1000);
    command('apt-get', 'exit 1');
    expect(await debianChromium()).toBeUndefined();
  });
});

function command(name: string, script: string): string {
  const path = join(folder, name);
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
  return path;
}
