import type { Command } from 'commander';
import { type ApiOptions, apiCommandWithJson, connect, printResponse } from '../api-command.ts';
import { slugArgument } from './argument.ts';
import { presetPath } from './path.ts';

/** DELETE archives: the API never deletes a preset or a version. */
export function archiveCommand(): Command {
  return apiCommandWithJson('archive')
    .description('Archive a preset, so that calls to it fail; "restore" brings it back')
    .addArgument(slugArgument())
    .action(archive);
}

async function archive(slug: string, options: ApiOptions): Promise<void> {
  const response = await connect(options).send({ method: 'DELETE', path: presetPath(slug) });
  printResponse(
    response,
    options,
    () => `Archived ${slug}. To bring it back, run "presetd preset restore ${slug}".`,
  );
}
