import type { Command } from 'commander';
import type { One } from '../../client/answers.ts';
import type { CurrentKey } from '../../client/organization-answers.ts';
import { systemClock } from '../../core/clock.ts';
import { createApiClient } from '../api-client.ts';
import { type OutputOptions, printResponse } from '../api-command.ts';
import { organizationCommand, organizationConnection } from '../organization/command.ts';
import { paintForStdout } from '../paint.ts';
import { renderCurrentKey } from './render-key.ts';

/** Any valid key may read itself, so this also works with an API key. */
export function currentCommand(): Command {
  return organizationCommand('current').description('Show the key that these commands use').action(current);
}

async function current(options: OutputOptions): Promise<void> {
  const connection = organizationConnection();
  const response = await createApiClient(connection).send<One<CurrentKey>>({ path: '/key' });
  printResponse(response, options, ({ data }) =>
    renderCurrentKey(data, connection.keySetting, systemClock(), paintForStdout),
  );
}
