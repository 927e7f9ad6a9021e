import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe } from 'vitest';
import { makeFolderOnce } from './make-folder-once.ts';
import { execFileInTest } from './test-scope.ts';

export const pythonFolder = fileURLToPath(new URL('../python', import.meta.url));
const requirements = join(pythonFolder, 'requirements.txt');
const cache = fileURLToPath(new URL('../../node_modules/.cache', import.meta.url));

/** Identifies the interpreter, because a virtual environment works with the one that made it. */
const interpreter = findPython();

/**
 * For hooks that run a script: it makes thousands of requests, and the first one after `npm ci`, which deletes the
 * virtual environment, waits until the packages are installed.
 */
export const pythonTimeoutMs = 1_200_000;

/** Like describe, but skipped where there is no Python 3, unless PRESETD_TEST_PYTHON is `required`. */
export const describeInPython = describe.skipIf(interpreter === undefined);

/** Runs Python with the packages of test/python/requirements.txt, and resolves with what it printed. */
export async function python(
  parameters: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<{ readonly stdout: string; readonly stderr: string }> {
  const bin = join(await virtualEnvironment(), 'bin');
  return execFileInTest(join(bin, 'python'), parameters, {
    env: {
      ...process.env,
      PATH: `${bin}${delimiter}${process.env.PATH}`,
      // The scripts are part of the repository, and everything that they call is on this machine.
      PYTHONDONTWRITEBYTECODE: '1',
      PYTHONUTF8: '1',
      NO_PROXY: '127.0.0.1',
      ...environment,
    },
  });
}

/** Made for these requirements and this interpreter unless it is there. */
async function virtualEnvironment(): Promise<string> {
  const hash = createHash('sha256').update(`${interpreter}\n`).update(readFileSync(requirements));
  const folder = join(cache, `presetd-test-python-${hash.digest('hex').slice(0, 16)}`);
  await makeFolderOnce(folder, async (draft) => {
    process.stderr.write('Installing the Python packages for the compatibility tests.\n');
    await execFileInTest('python3', ['-m', 'venv', draft]);
    const install = ['install', '--quiet', '--disable-pip-version-check', '--requirement', requirements];
    await execFileInTest(join(draft, 'bin', 'python'), ['-m', 'pip', ...install]);
  });
  return folder;
}

function findPython(): string | undefined {
  const wanted = process.env.PRESETD_TEST_PYTHON ?? '';
  if (wanted !== '' && wanted !== 'required')
    throw new Error(`PRESETD_TEST_PYTHON must be "required" or unset, and is "${wanted}"`);
  const identify = 'import sys; print(sys.version, sys.base_prefix)';
  const { status, stdout } = spawnSync('python3', ['-c', identify], { encoding: 'utf8' });
  if (status === 0) return stdout;
  const message = 'There is no Python 3 on the PATH, which the tests of the Python SDKs need.';
  if (wanted === 'required') throw new Error(message);
  console.warn(`${message} They are skipped.`);
  return undefined;
}
