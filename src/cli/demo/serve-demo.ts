import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '../../config/server-config.ts';
import { readEnvironment } from '../../config/settings.ts';
import { linkUrl } from '../../core/accounts/sign-in-link.ts';
import { createLogger } from '../../observability/logger.ts';
import { createApiClient } from '../api-client.ts';
import { print, printStderr } from '../ui/output.ts';
import { fillDemo } from './fill-demo.ts';
import { startOfflineUpstream } from './offline-upstream.ts';

/**
 * Runs a server of its own on this machine until a signal ends it: an empty database in a temporary
 * folder, filled with the demo, and an upstream that answers offline. Everything is gone afterwards.
 * None of the settings of the environment apply but PORT, so that a visitor who has a real database
 * or a real key does not touch them.
 */
export async function serveDemo(summary: string, startPath: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'presetd-demo-'));
  const upstream = await startOfflineUpstream();
  const removeTraces = () => {
    upstream.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const server = await startTemporaryServer(folder, upstream.url);
    stopOnSignal(server, removeTraces);
    const { firstKeys, url } = server;
    if (firstKeys === undefined) throw new Error('The temporary database is not empty.');
    const connection = { url, urlSetting: 'the demo', key: firstKeys.managementKey, keySetting: 'the demo' };
    await fillDemo(connection, createApiClient(connection));
    print(`presetd demo listens on ${url}`);
    print(summary);
    const link = linkUrl(url, firstKeys.linkToken, startPath);
    print(`\nTo sign in, open this link within 15 minutes; it works once:\n\n${link}\n`);
    printStderr('Press Ctrl+C to stop the server and delete everything.');
  } catch (error) {
    removeTraces();
    throw error;
  }
}

async function startTemporaryServer(folder: string, upstreamUrl: string) {
  const upstreams = [
    { name: 'offline', kind: 'openrouter', base_url: upstreamUrl, dialects: ['chat-completions'] },
  ];
  const file = join(folder, 'upstreams.json');
  writeFileSync(file, JSON.stringify({ upstreams }));
  const config = loadConfig({
    PORT: readEnvironment().PORT ?? '0',
    DATABASE_URL: `sqlite:${join(folder, 'presetd.db')}`,
    PRESETD_CONFIG: file,
    // Not a secret: the upstream accepts any.
    OPENROUTER_API_KEY: 'offline',
  });
  const { startServer } = await import('../../main.ts');
  return startServer(config, createLogger({ level: 'error', format: config.logFormat, isShared: false }));
}

function stopOnSignal(server: { stop(): Promise<void> }, removeTraces: () => void): void {
  let isStopping = false;
  const stop = async () => {
    if (isStopping) return;
    isStopping = true;
    await server.stop();
    removeTraces();
    process.exit(0);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);
}
