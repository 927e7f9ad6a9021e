import cluster, { type Worker } from 'node:cluster';
import { closeSync, openSync } from 'node:fs';
import { styleText } from 'node:util';
import { Command, InvalidArgumentError } from 'commander';
import type { Logger } from 'pino';
import { oneLine } from '../client/printable.ts';
import type { Config } from '../config.ts';
import { loadConfig, unknownVariables, workerCount, workerSettings } from '../config.ts';
import type { GatewaySettings } from '../gateway/upstreams/upstream.ts';
import { createLogger, isPretty } from '../logger.ts';
import type { RunningServer } from '../main.ts';
import { productVersion } from '../product-version.ts';
import { ConfigError, type Environment, readEnvironment } from '../settings.ts';
import { describeDatabase } from '../storage/open.ts';
import type { ConnectedPeers, ReadyWorker } from '../workers/worker-peers.ts';

interface ServeOptions {
  readonly workers?: string;
}

/** What signals are passed on to, in whatever process it is. */
interface Stoppable {
  /** False when something was cut off. */
  stop(): Promise<boolean>;
  reload(): void;
}

export function serveCommand(): Command {
  return new Command('serve')
    .option(
      '--workers <count>',
      'processes that serve the port together, or auto for one per core',
      parseWorkers,
    )
    .action(serve);
}

/** Checked here as well, so that what is wrong is said of the option and not of the setting that it goes before. */
function parseWorkers(text: string): string {
  try {
    workerCount(text);
    return text;
  } catch (error) {
    throw new InvalidArgumentError(`It ${error instanceof Error ? error.message : error}.`);
  }
}

async function serve({ workers }: ServeOptions): Promise<void> {
  const environment = {
    ...readEnvironment(),
    ...(workers !== undefined && { PRESETD_WORKERS: workers }),
  };
  const config = loadConfig(environment);
  const { logLevel: level, logFormat: format } = config;
  const logger = createLogger({ level, format, isShared: config.workers > 1 });
  if (cluster.worker !== undefined) await work(cluster.worker, config, logger);
  else if (config.workers > 1) await supervise(config, environment, logger);
  else await serveAlone(config, environment, logger);
}

async function serveAlone(config: Config, environment: Environment, logger: Logger): Promise<void> {
  announce(await start(config, logger), config, environment, logger);
}

async function work(worker: Worker, config: Config, logger: Logger): Promise<void> {
  const { connectPeers: siblingsOf } = await import('../workers/worker-peers.ts');
  const peers = siblingsOf(worker);
  const gateway = await peers.upstreams();
  peers.reportReady(await start({ ...config, gateway }, logger, peers));
}

async function start(config: Config, logger: Logger, peers?: ConnectedPeers): Promise<RunningServer> {
  // Loaded here, so that the other commands need not wait for a web server that they do not start.
  const { startServer } = await import('../main.ts');
  const server = await startServer(config, logger, peers);
  obeySignals(config, logger, {
    async stop() {
      await server.stop();
      return true;
    },
    reload: peers?.broadcastHangUp ?? (() => reload(server, logger)),
  });
  return server;
}

async function supervise(config: Config, environment: Environment, logger: Logger): Promise<void> {
  const { superviseWorkers } = await import('../workers/supervisor.ts');
  const supervisor = await superviseWorkers(config, workerSettings(environment), logger);
  // From now on: a server that is stopped while its workers start has stored the first keys, and must still show them.
  obeySignals(config, logger, { stop: supervisor.stop, reload: () => reload(supervisor, logger) });
  const first = await supervisor.first;
  await supervisor.ready.catch((error: unknown) => {
    if (firstKeys(first, config).length > 0) announce(first, config, environment, logger);
    throw error;
  });
  announce(first, config, environment, logger);
}

/** For people the first keys come last, where nothing scrolls them away. Programs wait for the first line instead. */
function announce(ready: ReadyWorker, config: Config, environment: Environment, logger: Logger): void {
  const warn = () => {
    warnOfUnknown(environment, config.gateway, logger);
    warnOfMissingKeys(config.gateway, logger);
  };
  if (isPretty(config.logFormat)) {
    warn();
    logger.flush(() => process.stdout.write(welcome(ready, config)));
  } else {
    // Whoever waits for this line may send a signal at once.
    process.stdout.write(banner(ready, config));
    warn();
  }
}

function obeySignals(config: Config, logger: Logger, server: Stoppable): void {
  let isStopping = false;
  const stop = async (signal: string) => {
    if (isStopping) return;
    isStopping = true;
    logger.info({ signal }, 'stopping: requests under way are finished first');
    const overdue = setTimeout(() => {
      logger.error(`requests under way did not finish within ${config.shutdownTimeoutMs} ms`);
      logger.flush(() => process.exit(1));
    }, config.shutdownTimeoutMs);
    const isComplete = await server.stop();
    clearTimeout(overdue);
    logger.info('stopped');
    logger.flush(() => process.exit(isComplete ? 0 : 1));
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  process.on('SIGHUP', (signal) => {
    if (hasLostTerminal()) stop(signal);
    else if (!isStopping) server.reload();
  });
}

/** The same signal tells that the terminal is gone which the server was started in, and with it whoever watches it. */
function hasLostTerminal(): boolean {
  // A worker leaves it to its supervisor.
  if (cluster.isWorker || !process.stdin.isTTY) return false;
  try {
    closeSync(openSync('/dev/tty', 'r'));
    return false;
  } catch {
    return true;
  }
}

/** Of all settings only the upstreams and their keys can change while the server runs. */
function reload(server: Pick<RunningServer, 'reload'>, logger: Logger): void {
  try {
    const { gateway } = loadConfig(readEnvironment());
    server.reload(gateway);
    logger.info({ upstreams: gateway.upstreams.map(({ name }) => name) }, 'reloaded the upstreams');
    warnOfMissingKeys(gateway, logger);
  } catch (error) {
    // Whatever it is, a server that works goes on as it was.
    const reason = error instanceof ConfigError ? { problems: error.problems } : { err: error };
    logger.error(reason, 'not reloaded: the upstreams stay as they were, because the settings are wrong');
  }
}

function warnOfUnknown(environment: Environment, gateway: GatewaySettings, logger: Logger): void {
  const variables = unknownVariables(environment, gateway);
  if (variables.length > 0)
    logger.warn(
      { variables },
      `these are no settings of presetd and do nothing: ${variables.join(', ')}; docs/config.md lists all`,
    );
}

function warnOfMissingKeys({ upstreams }: GatewaySettings, logger: Logger): void {
  for (const { name, key } of upstreams)
    if (key !== undefined && key.secret === undefined)
      logger.warn(
        { upstream: name, variable: key.variable },
        `${key.variable} is not set: requests to the upstream ${name} are answered with 424`,
      );
}

/** What programs and people without a terminal see. */
function banner(ready: ReadyWorker, config: Config): string {
  const lines = [`${listening(ready, config)}. Open it in a browser; API pages: ${ready.url}/docs`];
  const keys = firstKeys(ready, config);
  if (keys.length > 0)
    lines.push('', 'First start. These keys are shown once and stored only as hashes:', ...keys, '');
  return `${lines.join('\n')}\n`;
}

/** The same for people: set apart from the log lines above, with the keys alone at the end. */
function welcome(ready: ReadyWorker, config: Config): string {
  const bold = (text: string) => styleText('bold', text, { stream: process.stdout });
  const { url } = ready;
  const lines = [
    '',
    `  ${bold(oneLine(listening(ready, config)))}`,
    `  Open ${url} in a browser. API reference: ${url}/docs`,
    '',
  ];
  const keys = firstKeys(ready, config);
  if (keys.length > 0)
    lines.push('  First start. Copy these keys now: they are not shown again.', '', ...keys.map(bold), '');
  return `${lines.join('\n')}\n`;
}

function listening({ url }: ReadyWorker, config: Config): string {
  const workers = config.workers === 1 ? '' : `, ${config.workers} workers`;
  return `presetd ${productVersion} listens on ${url} (${describeDatabase(config.storage.database)}${workers})`;
}

/** A line for each key of a first start; none where both were given, and at any later start. */
function firstKeys({ firstKeys: made }: ReadyWorker, { bootstrap }: Config): readonly string[] {
  const { apiKey, managementKey } = bootstrap;
  if (made === undefined || (apiKey !== undefined && managementKey !== undefined)) return [];
  return [
    `  API key         ${apiKey === undefined ? made.apiKey : 'as given in PRESETD_BOOTSTRAP_API_KEY'}`,
    `  Management key  ${managementKey === undefined ? made.managementKey : 'as given in PRESETD_BOOTSTRAP_MANAGEMENT_KEY'}`,
  ];
}
