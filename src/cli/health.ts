import { Command } from 'commander';
import { loadClientConfig } from '../client-config.ts';
import { readEnvironment } from '../settings.ts';
import { connectionError } from './api-errors.ts';
import { CommandError } from './command-error.ts';

const patienceMs = 5_000;

export function healthCommand(): Command {
  return new Command('health')
    .option('--live', 'only whether it answers, not whether its database does')
    .action(health);
}

async function health({ live }: { readonly live?: true }): Promise<void> {
  const { url } = loadClientConfig(readEnvironment());
  const address = `${url}${live ? '/healthz' : '/readyz'}`;
  const answer = await fetch(address, { signal: AbortSignal.timeout(patienceMs) }).catch((error: unknown) => {
    throw connectionError(url, error, patienceMs);
  });
  if (!answer.ok) throw new CommandError(`The server at ${url} is not ready: it answers ${answer.status}.`);
  console.log(live ? 'alive' : 'ready');
}
