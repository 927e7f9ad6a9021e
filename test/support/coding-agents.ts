import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe } from 'vitest';
import manifest from './coding-agents-package/package.json' with { type: 'json' };
import { createWorkingDirectory } from './command.ts';
import { codeBlocksOf } from './documents.ts';
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
  /** The slug of a preset. */
  readonly preset: string;
  readonly prompt: string;
}

/** Runs `claude -p` with the settings in its documentation and resolves with what it says. */
export async function runClaudeCode({ url, preset, prompt }: Run): Promise<string> {
  const home = createWorkingDirectory().path;
  mkdirSync(join(home, '.claude'));
  const settings = documentedSettings('docs/clients/claude-code.md', 'json', { url, preset });
  writeFileSync(join(home, '.claude', 'settings.json'), settings);
  return runAgent(
    '@anthropic-ai/claude-code/cli-wrapper.cjs',
    ['-p', prompt, '--allowedTools', 'Read', 'Bash'],
    {
      HOME: home,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
    },
  );
}

/** Runs `codex exec` with the settings in its documentation and resolves with what it says. */
export async function runCodex({ url, preset, prompt }: Run): Promise<string> {
  const home = createWorkingDirectory().path;
  mkdirSync(join(home, '.codex'));
  const settings = documentedSettings('docs/clients/codex.md', 'toml', { url, preset });
  writeFileSync(join(home, '.codex', 'config.toml'), settings);
  // Its sandbox needs more rights than a container has. The commands are those of our upstream.
  const options = ['--skip-git-repo-check', '--sandbox', 'danger-full-access'];
  return runAgent('@openai/codex/bin/codex.js', ['exec', ...options, prompt], {
    HOME: home,
    PRESETD_API_KEY: apiKey,
  });
}

/** The first block of a page in this language, for another server, key and preset. */
function documentedSettings(
  document: string,
  language: string,
  { url, preset }: Pick<Run, 'url' | 'preset'>,
): string {
  const block = codeBlocksOf(document).find((each) => each.language === language);
  if (block === undefined) throw new Error(`${document} shows no ${language}`);
  return block.text
    .replaceAll('http://127.0.0.1:7778', url)
    .replaceAll('sk-pst-v1-…', apiKey)
    .replaceAll('parcel-bot', preset);
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
