import { type ExecFileOptions, execFile, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe } from 'vitest';
import { makeFolderOnce } from './make-folder-once.ts';

const run = promisify(execFile);

export const pythonFolder = fileURLToPath(new URL('../python', import.meta.url));
const requirements = join(pythonFolder, 'requirements.txt');
const cache = fileURLToPath(new URL('../../node_modules/.cache', import.meta.url));

/** Identifies the interpreter, because a virtual environment works with the one that made it. */
const interpreter = findPython();

/** Enough to install everything on a slow connection, which happens once per machine. */
export const installTimeoutMs = 600_000;

/** Like describe, but skipped where there is no Python 3, unless PRESETD_TEST_PYTHON is `required`. */
export const describeInPython = describe.skipIf(interpreter === undefined);

/** Runs Python with the packages of test/python/requirements.txt, and resolves with what it printed. */
export async function python(
  parameters: readonly string[],
  { env, ...options }: ExecFileOptions = {},
): Promise<{ readonly stdout: string; readonly stderr: string }> {
  const bin = join(await virtualEnvironment(), 'bin');
  const { stdout, stderr } = await run(join(bin, 'python'), [...parameters], {
    maxBuffer: 2 ** 26,
    ...options,
    encoding: 'utf8',
    env: {
      ...process.env,
      PATH: `${bin}${delimiter}${process.env.PATH}`,
      // The scripts are part of the repository, and everything that they call is on this machine.
      PYTHONDONTWRITEBYTECODE: '1',
      PYTHONUTF8: '1',
      NO_PROXY: '127.0.0.1',
      ...env,
    },
  });
  return { stdout, stderr };
}

/** Made once for these requirements and this interpreter. */
async function virtualEnvironment(): Promise<string> {
  const hash = createHash('sha256').update(`${interpreter}\n`).update(readFileSync(requirements));
  const folder = join(cache, `presetd-test-python-${hash.digest('hex').slice(0, 16)}`);
  await makeFolderOnce(folder, async (draft) => {
    process.stderr.write('Installing the Python packages for the compatibility tests.\n');
    await run('python3', ['-m', 'venv', draft]);
    const install = ['install', '--quiet', '--disable-pip-version-check', '--requirement', requirements];
    await run(join(draft, 'bin', 'python'), ['-m', 'pip', ...install]);
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
