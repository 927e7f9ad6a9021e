import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { loadConfig } from '../../config/server-config.ts';
import { readEnvironment } from '../../config/settings.ts';
import { linkUrl } from '../../core/accounts/sign-in-link.ts';
import { formatMetric } from '../../core/ledger/metric-text.ts';
import { demoCounts, demoWorkspaces } from '../../demo/demo.ts';
import { offlineUpstreams } from '../../demo/offline-models.ts';
import { createLogger } from '../../observability/logger.ts';
import { openStorage } from '../../storage/open.ts';
import { endSignals, onInterrupt } from '../interrupt.ts';
import { print, printStderr } from '../ui/output.ts';
import { pluralize } from '../ui/text.ts';
import { fillDemo } from './fill-demo.ts';
import { type OfflineUpstream, startOfflineUpstream } from './offline-upstream.ts';
import { createStoryClock } from './story-clock.ts';

/** Longer than the answers of the offline models take. */
const stopTimeoutMs = 10_000;

/**
 * Runs a server of its own on this machine until a signal ends it: an empty database in a temporary
 * folder, filled with the demo, and an upstream that answers offline. Everything is gone
 * afterwards. None of the settings of the environment apply but PORT, so that a visitor who has a
 * real database or a real key does not touch them.
 */
export async function serveDemo(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'presetd-demo-'));
  const removeFolder = () => rmSync(folder, { recursive: true, force: true });
  const removeListeners = onInterrupt(removeFolder);
  let upstream: OfflineUpstream | undefined;
  let stop = async () => true;
  const end = async (): Promise<boolean> => {
    const isStopped = await stop();
    upstream?.stop();
    removeFolder();
    return isStopped;
  };
  try {
    upstream = await startOfflineUpstream();
    const server = await startTemporaryServer(folder, upstream.url);
    stop = stopOnce(server);
    for (const signal of endSignals) process.on(signal, async () => process.exit((await end()) ? 0 : 1));
    removeListeners();
    await fillAndAnnounce(server);
  } catch (error) {
    removeListeners();
    await end();
    throw error;
  }
}

type TemporaryServer = Awaited<ReturnType<typeof startTemporaryServer>>;

async function fillAndAnnounce({ firstKeys, url, config, clock }: TemporaryServer): Promise<void> {
  if (firstKeys === undefined) throw new Error('The temporary database is not empty.');
  const storage = await openStorage(config.storage);
  const { managementKey } = firstKeys;
  const calls = await fillDemo({ url, managementKey, storage, clock }).finally(() => storage.close());
  const { workspaces, people, presets, versions, cases } = demoCounts;
  print(`presetd demo listens on ${url}`);
  print(
    `The demo has ${pluralize(workspaces, 'workspace')}, ${people} people, ${pluralize(presets, 'preset')} with ${pluralize(versions, 'version')} and ${pluralize(cases, 'test case')}, and ${formatMetric('request_count', calls)} calls in the last 30 days.`,
  );
  // The default workspace has nothing of the demo.
  const link = linkUrl(url, firstKeys.linkToken, `/w/${demoWorkspaces[0]?.slug}/presets`);
  print(`\nTo sign in, open this link within 15 minutes; it works once:\n\n${link}\n`);
  printStderr('Press Ctrl+C to stop the server and delete everything.');
}

async function startTemporaryServer(folder: string, upstreamUrl: string) {
  const upstreams = offlineUpstreams.map((upstream) => ({ ...upstream, base_url: upstreamUrl }));
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
  const clock = createStoryClock();
  const logger = createLogger({ level: 'error', format: config.logFormat, isShared: false });
  return { ...(await startServer(config, logger, undefined, clock.now)), config, clock };
}

/** Returns whether the server stopped in time. Its database is deleted next, so nothing is lost. */
function stopOnce(server: { stop(): Promise<void> }): () => Promise<boolean> {
  let stopping: Promise<boolean> | undefined;
  return () => {
    const stopped = () =>
      server.stop().then(
        () => true,
        () => false,
      );
    stopping ??= Promise.race([stopped(), delay(stopTimeoutMs, false, { ref: false })]);
    return stopping;
  };
}
