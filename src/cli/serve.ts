import { Command } from 'commander';
import type { Config } from '../config.ts';
import { loadConfig, readEnvironment } from '../config.ts';
import { createLogger } from '../logger.ts';
import type { RunningServer } from '../main.ts';
import { productVersion } from '../product-version.ts';
import { placeOf } from '../storage/open.ts';

export function serveCommand(): Command {
  return new Command('serve').action(serve);
}

async function serve(): Promise<void> {
  const config = loadConfig(readEnvironment());
  const logger = createLogger(config.logLevel);
  // Loaded here, so that the other commands need not wait for a web server that they do not start.
  const { startServer } = await import('../main.ts');
  const server = await startServer(config, logger);
  process.stdout.write(banner(server, config));

  let isStopping = false;
  const stop = async (signal: string) => {
    if (isStopping) return;
    isStopping = true;
    logger.info({ signal }, 'stopping: requests under way are finished first');
    const overdue = setTimeout(() => {
      logger.error(`requests under way did not finish within ${config.shutdownTimeoutMs} ms`);
      logger.flush(() => process.exit(1));
    }, config.shutdownTimeoutMs);
    await server.stop();
    clearTimeout(overdue);
    logger.info('stopped');
    logger.flush(() => process.exit(0));
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
}

function banner({ url, firstKeys }: RunningServer, config: Config): string {
  const place = placeOf(config.storage.database);
  const lines = [`presetd ${productVersion} listens on ${url} (${place}). API pages: ${url}/docs`];
  const { apiKey, managementKey } = config.bootstrap;
  if (firstKeys !== undefined && (apiKey === undefined || managementKey === undefined)) {
    lines.push(
      '',
      'First start. These keys are shown once and stored only as hashes:',
      `  API key         ${apiKey === undefined ? firstKeys.apiKey : 'as given in PRESETD_BOOTSTRAP_API_KEY'}`,
      `  Management key  ${managementKey === undefined ? firstKeys.managementKey : 'as given in PRESETD_BOOTSTRAP_MANAGEMENT_KEY'}`,
      '',
    );
  }
  return `${lines.join('\n')}\n`;
}
