import type { Command } from 'commander';
import type { One } from '../../client/answers.ts';
import type { Diff, PresetVersion } from '../../client/preset-answers.ts';
import { type ApiOptions, apiCommandWithJson, connect, printJson } from '../api-command.ts';
import { CommandError } from '../command-error.ts';
import { print } from '../output.ts';
import { paintForStdout } from '../paint.ts';
import { slugArgument } from './argument.ts';
import { presetPath } from './path.ts';
import { renderDiff } from './render-diff.ts';
import { latestVersion, resolveVersion } from './version-reference.ts';

export function diffCommand(): Command {
  return apiCommandWithJson('diff')
    .description('Compare two versions of a preset')
    .addArgument(slugArgument())
    .argument(
      '[from]',
      'Version number, label, "latest" or "designated", the live version (default: the version before)',
    )
    .argument('[to]', 'The same (default: latest)')
    .action(diff);
}

async function diff(
  slug: string,
  from: string | undefined,
  to: string | undefined,
  options: ApiOptions,
): Promise<void> {
  const api = connect(options);
  const [older, newer] = await Promise.all([
    from === undefined ? undefined : resolveVersion(api, slug, from),
    to === undefined ? latestVersion(api, slug) : resolveVersion(api, slug, to),
  ]);
  if (older === undefined && newer === 1)
    throw new CommandError(`${slug} has only one version, so there is nothing to compare it with.`);
  const path = presetPath(slug, 'versions', newer, 'diff');
  const response = await api.send<One<Diff>>({ path, query: { against: older } });
  if (options.json) return printJson(response);
  const { data } = response.content;
  // A JSON patch has only the new values; the old ones come from the older version itself.
  const before = await api.send<One<PresetVersion>>({
    path: presetPath(slug, 'versions', data.from.version),
  });
  print(renderDiff(slug, data, before.content.data.config, paintForStdout));
}
