import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe } from 'vitest';
import manifest from './coding-agents-package/package.json' with { type: 'json' };
import { createWorkingDirectory } from './command.ts';
import { cacheFolder, makeFolderOnce } from './make-folder-once.ts';
import { apiKey } from './server.ts';
import { execFileInTest } from './test-scope.ts';

/** Not dependencies of presetd: together they take 800 MB. */
const packageFolder = fileURLToPath(new URL('coding-agents-package', import.meta.url));
const versions = manifest.dependencies;
const folder = join(
  cacheFolder,
  `coding-agents-${versions['@anthropic-ai/claude-code']}-${versions['@openai/codex']}`,
);

/** Timeout for hooks that install the agents. */
export const installTimeoutMs = 1_200_000;

/** Like `describe`, but skipped unless `npm run test:agents` runs it. */
export const describeWithAgents = describe.runIf(process.env.PRESETD_TEST_AGENTS === 'required');

/** Installs them from the npm registry, unless an earlier run did. */
export async function installAgents(): Promise<void> {
  await makeFolderOnce(folder, async (draft) => {
    process.stderr.write('Installing Claude Code and Codex for the compatibility tests.\n');
    cpSync(packageFolder, draft, { recursive: true });
    await execFileInTest('npm', ['ci', '--ignore-scripts', '--loglevel=error'], { cwd: draft });
  });
}

interface Run {
  /** The server. */
  readonly url: string;
  readonly model: string;
  readonly prompt: string;
}

/** Runs `claude -p` in a home directory of its own and resolves with what it says. */
export async function runClaudeCode({ url, model, prompt }: Run): Promise<string> {
  const options = ['--model', model, '--allowedTools', 'Read', 'Bash'];
  return runAgent('@anthropic-ai/claude-code/cli-wrapper.cjs', ['-p', prompt, ...options], {
    ANTHROPIC_BASE_URL: `${url}/api`,
    ANTHROPIC_AUTH_TOKEN: apiKey,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
  });
}

/** Runs `codex exec` in a home directory of its own and resolves with what it says. */
export async function runCodex({ url, model, prompt }: Run): Promise<string> {
  const home = createWorkingDirectory().path;
  mkdirSync(join(home, '.codex'));
  writeFileSync(
    join(home, '.codex', 'config.toml'),
    `model = "${model}"
model_provider = "presetd"

[model_providers.presetd]
name = "presetd"
base_url = "${url}/api/v1"
env_key = "PRESETD_API_KEY"
wire_api = "responses"
`,
  );
  // Its sandbox needs more rights than a container has. The commands are those of our upstream.
  const options = ['--skip-git-repo-check', '--sandbox', 'danger-full-access'];
  return runAgent('@openai/codex/bin/codex.js', ['exec', ...options, prompt], {
    HOME: home,
    PRESETD_API_KEY: apiKey,
  });
}

async function runAgent(
  script: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<string> {
  const cwd = createWorkingDirectory().path;
  const { stdout } = await execFileInTest(process.execPath, [join(folder, 'node_modules', script), ...args], {
    cwd,
    env: {
      PATH: process.env.PATH,
      HOME: cwd,
      // No request leaves this machine: nothing listens on that port.
      HTTPS_PROXY: 'http://127.0.0.1:9',
      HTTP_PROXY: 'http://127.0.0.1:9',
      NO_PROXY: '127.0.0.1',
      ...environment,
    },
  });
  return stdout;
}
