import { type ExecFileSyncOptions, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { cacheFolder, makeFolderOnce } from '../test/support/make-folder-once.ts';
import { type ServerProcess, startCommand } from './server-process.ts';

const version = '1.106.2';

export const litellmKey = 'sk-benchmark-6c0f1f0a9d3b4c52a1e7';

/** The model by which requests name the upstream. */
export const litellmModel = 'claude';

/**
 * Starts LiteLLM's proxy in front of an upstream with the messages API, as its documentation does
 * for one instance, without a database. Returns undefined without Python 3. The first run installs
 * it.
 */
export async function startLitellm(upstreamUrl: string): Promise<ServerProcess | undefined> {
  const folder = join(cacheFolder, `litellm-${version}`);
  try {
    await makeFolderOnce(folder, async (draft) => install(draft));
  } catch (error) {
    process.stderr.write(`LiteLLM is left out, because it cannot be installed: ${error}\n`);
    return undefined;
  }
  const config = join(folder, 'benchmark.yaml');
  const parameters = { model: 'anthropic/claude-sonnet-4-5', api_base: upstreamUrl, api_key: 'upstream-key' };
  // JSON is YAML, too.
  writeFileSync(
    config,
    JSON.stringify({ model_list: [{ model_name: litellmModel, litellm_params: parameters }] }),
  );
  const port = await findFreePort();
  const args = [
    '-m',
    'litellm.proxy.proxy_cli',
    '--config',
    config,
    '--host',
    '127.0.0.1',
    '--port',
    `${port}`,
  ];
  return startCommand('litellm', join(folder, 'bin', 'python'), args, {
    // Its list of prices, which it would otherwise download.
    LITELLM_LOCAL_MODEL_COST_MAP: 'True',
    LITELLM_MASTER_KEY: litellmKey,
    NO_PROXY: '127.0.0.1',
  });
}

function install(folder: string): void {
  process.stderr.write(`installing LiteLLM ${version}\n`);
  const quiet: ExecFileSyncOptions = { stdio: ['ignore', 'ignore', 'inherit'] };
  execFileSync('python3', ['-m', 'venv', folder], quiet);
  const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check'];
  execFileSync(join(folder, 'bin', 'python'), [...pip, `litellm[proxy]==${version}`], quiet);
}

/** LiteLLM cannot choose a port by itself. */
async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}
