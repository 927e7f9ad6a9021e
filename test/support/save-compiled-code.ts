import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';

const key = 'key-of-the-first-server';

/** Node.js accepts compiled code only with the same options. */
export const nodeOptions = ['--min-semi-space-size=32', '--max-semi-space-size=32'];

const messages = [{ role: 'system', content: 'Be brief.' }];
const question = [{ role: 'user', content: 'Hello' }];

/** What most tests send to a server that they start as a process. */
const requests: readonly (readonly [method: string, path: string, body?: object])[] = [
  ['POST', '/presets/p/chat/completions', { model: 'm', messages }],
  ['POST', '/presets/p/messages', { model: 'm', max_tokens: 5, messages: question }],
  ['POST', '/presets/p/responses', { model: 'm', input: 'Hello' }],
  ['POST', '/presets/p/responses', { model: 7 }],
  ['GET', '/presets/p'],
  ['GET', '/presets'],
  ['PATCH', '/presets/p', { name: 'P' }],
  ['PUT', '/presets/p/labels/production', { version: 1 }],
  ['POST', '/keys', { name: 'K' }],
  // Rejected, because there is no key for an upstream.
  ['POST', '/chat/completions', { model: '@preset/p', messages: question }],
];

/**
 * Runs a server of the bundled program once. When it stops, it saves the compiled code of the
 * functions that it has run.
 */
export async function saveCompiledCode(script: string): Promise<void> {
  const cwd = mkdtempSync(join(tmpdir(), 'presetd-compile-'));
  const { PATH = '' } = process.env;
  const env = { PATH, PORT: '0', SAVE_COMPILED_CODE: 'true', PRESETD_BOOTSTRAP_MANAGEMENT_KEY: key };
  const server = spawn(process.execPath, [...nodeOptions, script, 'serve'], {
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(server, 'close');
  try {
    const url = await listeningUrl(server, exited);
    for (const [method, path, body] of requests) {
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
      const init = { method, headers, ...(body && { body: JSON.stringify(body) }) };
      await (await fetch(`${url}/api/v1${path}`, init)).text();
    }
  } finally {
    server.kill();
    await exited;
    rmSync(cwd, { recursive: true, force: true });
  }
}

function listeningUrl({ stdout }: { stdout: Readable }, exited: Promise<unknown>): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = '';
    stdout.on('data', (chunk) => {
      output += chunk;
      const url = /listens on (http:\S+)/.exec(output)?.[1];
      if (url !== undefined) resolve(url);
    });
    exited.then(() => reject(new Error(`the bundled server does not start: ${output}`)));
  });
}
