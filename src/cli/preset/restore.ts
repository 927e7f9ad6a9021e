import type { Command } from 'commander';
import type { One } from '../../client/answers.ts';
import type { Preset } from '../../client/preset-answers.ts';
import { type ApiOptions, apiCommandWithJson, connect, printResponse } from '../api-command.ts';
import { slugArgument } from './argument.ts';
import { presetPath } from './path.ts';

export function restoreCommand(): Command {
  return apiCommandWithJson('restore')
    .description('Restore an archived preset')
    .addArgument(slugArgument())
    .action(restore);
}

async function restore(slug: string, options: ApiOptions): Promise<void> {
  const path = presetPath(slug, 'restore');
  const response = await connect(options).send<One<Preset>>({ method: 'POST', path });
  // Not always "active": a preset that was not archived keeps its status, which may be "disabled".
  printResponse(response, options, ({ data }) => `${slug} is ${data.status}.`);
}
