import { Argument, type Command } from 'commander';
import type { One } from '../../client/answers.ts';
import type { Preset } from '../../client/preset-answers.ts';
import { type ApiOptions, apiCommandWithJson, connect, printResponse } from '../api-command.ts';
import { parseSlug, presetPath } from './path.ts';

export function restoreCommand(): Command {
  return apiCommandWithJson('restore')
    .description('bring an archived preset back')
    .addArgument(new Argument('<slug>').argParser(parseSlug))
    .action(restore);
}

async function restore(slug: string, options: ApiOptions): Promise<void> {
  const path = presetPath(slug, 'restore');
  const answer = await connect(options).send<One<Preset>>({ method: 'POST', path });
  // A preset that was not archived stays as it is, and it may be disabled.
  printResponse(answer, options, ({ data }) => `${slug} is ${data.status}.`);
}
