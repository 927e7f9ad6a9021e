import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe } from 'vitest';
import { cacheFolder, makeFolderOnce } from './make-folder-once.ts';
import { execFileInTest } from './test-scope.ts';

export const pythonFolder = fileURLToPath(new URL('../python', import.meta.url));
const requirements = join(pythonFolder, 'requirements.txt');

/** Identifies the interpreter: a virtual environment works only with the one that created it. */
const interpreter = findPython();

/**
 * Timeout for hooks that run a script, which sends thousands of requests. The first run
 * also installs the packages.
 */
export const pythonTimeoutMs = 1_200_000;

/** Like `describe`, but skipped without Python 3, unless PRESETD_TEST_PYTHON is `required`. */
export const describeInPython = describe.skipIf(interpreter === undefined);

/** Runs Python with the packages of test/python/requirements.txt and resolves with its output. */
export async function python(
  parameters: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<{ readonly stdout: string; readonly stderr: string }> {
  const bin = join(await virtualEnvironment(), 'bin');
  return execFileInTest(join(bin, 'python'), parameters, {
    env: {
      ...process.env,
      PATH: `${bin}${delimiter}${process.env.PATH}`,
      // Do not write bytecode next to the scripts. All servers are local, without TLS: use no
      // proxy, and do not load hundreds of certificates for every client.
      PYTHONDONTWRITEBYTECODE: '1',
      PYTHONUTF8: '1',
      NO_PROXY: '127.0.0.1',
      SSL_CERT_FILE: '',
      SSL_CERT_DIR: pythonFolder,
      ...environment,
    },
  });
}

/**
 * Returns the virtual environment for these requirements and this interpreter, creating it if
 * needed.
 */
async function virtualEnvironment(): Promise<string> {
  const hash = createHash('sha256').update(`${interpreter}\n`).update(readFileSync(requirements));
  const folder = join(cacheFolder, `python-${hash.digest('hex').slice(0, 16)}`);
  await makeFolderOnce(folder, async (draft) => {
    process.stderr.write('Installing the Python packages for the compatibility tests.\n');
    await execFileInTest('python3', ['-m', 'venv', draft]);
    const install = ['install', '--quiet', '--disable-pip-version-check', '--requirement', requirements];
    await execFileInTest(join(draft, 'bin', 'python'), ['-m', 'pip', ...install]);
  });
  return folder;
}

function findPython(): string | undefined {
  const requirement = process.env.PRESETD_TEST_PYTHON ?? '';
  if (requirement !== '' && requirement !== 'required')
    throw new Error(`PRESETD_TEST_PYTHON must be "required" or unset, not "${requirement}"`);
  const identify = 'import sys; print(sys.version, sys.base_prefix)';
  const { status, stdout } = spawnSync('python3', ['-c', identify], { encoding: 'utf8' });
  if (status === 0) return stdout;
  const message = 'No Python 3 found on the PATH, which the tests of the Python SDKs need.';
  if (requirement === 'required') throw new Error(message);
  console.warn(`${message} Skipping them.`);
  return undefined;
}
