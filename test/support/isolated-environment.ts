import { mkdtempSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Keeps the person who runs the tests out of them: keys and URLs in their environment, the profiles
 * of `presetd login` and other files in their home, their language and their time zone.
 *
 * vitest.config.ts calls it before it starts a worker, so that all tests, and all processes that
 * they start, begin in the same environment: an empty home and the variables below. Tests that need
 * others set them. Programs that install what some tests need still find the user's settings.
 */
export function isolateEnvironment(): void {
  const person = { ...process.env };
  const home = homedir();
  const emptyHome = mkdtempSync(join(tmpdir(), 'presetd-home-'));
  process.once('exit', () => rmSync(emptyHome, { recursive: true, force: true }));
  for (const name of Object.keys(process.env)) if (!kept.test(name)) delete process.env[name];
  Object.assign(process.env, {
    HOME: emptyHome,
    LANG: 'C.UTF-8',
    TZ: 'UTC',
    XDG_CACHE_HOME: person.XDG_CACHE_HOME || join(home, '.cache'),
    npm_config_userconfig: person.npm_config_userconfig || join(home, '.npmrc'),
    npm_config_cache: person.npm_config_cache || join(home, '.npm'),
    PIP_CONFIG_FILE:
      person.PIP_CONFIG_FILE || join(person.XDG_CONFIG_HOME || join(home, '.config'), 'pip', 'pip.conf'),
  });
  const proxy = person.HTTPS_PROXY || person.https_proxy;
  if (proxy) Object.assign(process.env, { npm_config_https_proxy: proxy, PIP_PROXY: proxy });
}

/** Where programs are, how the tests were started, and how to install packages. */
const kept = new RegExp(
  `^(${[
    ...['PATH', 'LD_LIBRARY_PATH', 'TMPDIR', 'NODE_ENV', 'NODE_OPTIONS', 'NODE_V8_COVERAGE'],
    ...['TEST', 'VITEST\\w*', 'STRYKER\\w*', 'PRESETD_TEST_\\w+', 'PROOF\\w*', 'SAVE_COMPILED_CODE'],
    ...['npm_\\w+', 'PIP_\\w+', 'PYENV_\\w+', 'NODE_EXTRA_CA_CERTS', 'SSL_CERT_\\w+'],
  ].join('|')})$`,
);
