import { Argument, type Command } from 'commander';
import type { One } from '../../client/answers.ts';
import type { Preset } from '../../client/preset-answers.ts';
import { type ApiOptions, apiCommandWithJson, connect, printResponse } from '../api-command.ts';
import { parseSlug, presetPath } from './path.ts';
import { resolveVersion } from './version-reference.ts';

export function rollbackCommand(): Command {
  return apiCommandWithJson('rollback')
    .description('designate another version, which calls use from then on')
    .addArgument(new Argument('<slug>').argParser(parseSlug))
    .argument('<version>', 'its number, a label or "latest"')
    .action(rollback);
}

async function rollback(slug: string, reference: string, options: ApiOptions): Promise<void> {
  const api = connect(options);
  const [version, before] = await Promise.all([
    resolveVersion(api, slug, reference),
    resolveVersion(api, slug, 'designated'),
  ]);
  const answer = await api.send<One<Preset>>({
    method: 'PATCH',
    path: presetPath(slug),
    body: JSON.stringify({ designated_version: version }),
  });
  printResponse(answer, options, () =>
    version === before
      ? `${slug}@${version} is the designated version already.`
      : `${slug}@${version} is now the designated version; before, it was version ${before}.`,
  );
}
