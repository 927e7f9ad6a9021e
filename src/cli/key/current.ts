import type { Command } from 'commander';
import type { One } from '../../client/answers.ts';
import type { CurrentKey } from '../../client/organization-answers.ts';
import { systemClock } from '../../core/clock.ts';
import { createApiClient } from '../api-client.ts';
import { type AnswerOptions, printAnswer } from '../api-command.ts';
import { organizationCommand, organizationConnection } from '../organization/command.ts';
import { paintForOutput } from '../paint.ts';
import { renderCurrentKey } from './render-key.ts';

export function currentCommand(): Command {
  return organizationCommand('current').description('show the key that these commands send').action(current);
}

async function current(options: AnswerOptions): Promise<void> {
  const connection = organizationConnection();
  const answer = await createApiClient(connection).send<One<CurrentKey>>({ path: '/key' });
  printAnswer(answer, options, ({ data }) =>
    renderCurrentKey(data, connection.keySetting, systemClock(), paintForOutput),
  );
}
