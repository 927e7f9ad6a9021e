import type { Command } from 'commander';
import type { One } from '../../client/answers.ts';
import type { Preset } from '../../client/preset-answers.ts';
import { type ApiOptions, apiCommandWithJson, connect, printResponse } from '../api-command.ts';
import { slugArgument } from './argument.ts';
import { presetPath } from './path.ts';
import { resolveVersion } from './version-reference.ts';

/** Makes any version live, newer or older; the name is for the common case. */
export function rollbackCommand(): Command {
  return apiCommandWithJson('rollback')
    .description('Make another version of a preset live')
    .addArgument(slugArgument())
    .argument('<version>', 'Version number, label or "latest"')
    .action(rollback);
}

async function rollback(slug: string, reference: string, options: ApiOptions): Promise<void> {
  const api = connect(options);
  // The previous live version is read first, because the response has only the new one.
  const [version, previous] = await Promise.all([
    resolveVersion(api, slug, reference),
    resolveVersion(api, slug, 'designated'),
  ]);
  const response = await api.send<One<Preset>>({
    method: 'PATCH',
    path: presetPath(slug),
    body: JSON.stringify({ designated_version: version }),
  });
  printResponse(response, options, () =>
    version === previous
      ? `${slug}@${version} is already live.`
      : `${slug}@${version} is now live, replacing version ${previous}.`,
  );
}
