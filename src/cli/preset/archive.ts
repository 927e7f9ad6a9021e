import { Argument, type Command } from 'commander';
import { type ApiOptions, apiCommandWithJson, connect, printResponse } from '../api-command.ts';
import { parseSlug, presetPath } from './path.ts';

export function archiveCommand(): Command {
  return apiCommandWithJson('archive')
    .description('take a preset out of use; nothing of it is lost, and "restore" brings it back')
    .addArgument(new Argument('<slug>').argParser(parseSlug))
    .action(archive);
}

async function archive(slug: string, options: ApiOptions): Promise<void> {
  const answer = await connect(options).send({ method: 'DELETE', path: presetPath(slug) });
  printResponse(
    answer,
    options,
    () => `${slug} is archived; "presetd preset restore ${slug}" brings it back.`,
  );
}
