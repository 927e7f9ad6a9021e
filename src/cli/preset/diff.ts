import { Argument, type Command } from 'commander';
import type { One } from '../../client/answers.ts';
import type { Diff, PresetVersion } from '../../client/preset-answers.ts';
import { type ApiOptions, apiCommandWithJson, connect, printJson } from '../api-command.ts';
import { CommandError } from '../command-error.ts';
import { print } from '../output.ts';
import { paintForStdout } from '../paint.ts';
import { parseSlug, presetPath } from './path.ts';
import { renderDiff } from './render-diff.ts';
import { latestVersion, resolveVersion } from './version-reference.ts';

export function diffCommand(): Command {
  return apiCommandWithJson('diff')
    .description('show what changed from one version to another')
    .addArgument(new Argument('<slug>').argParser(parseSlug))
    .argument('[from]', 'number of a version, a label, "latest" or "designated" (default: the one before)')
    .argument('[to]', 'the same (default: the latest)')
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
    throw new CommandError(`${slug} has one version only: there is none before it to compare it with.`);
  const path = presetPath(slug, 'versions', newer, 'diff');
  const answer = await api.send<One<Diff>>({ path, query: { against: older } });
  if (options.json) return printJson(answer);
  const { data } = answer.content;
  const before = await api.send<One<PresetVersion>>({
    path: presetPath(slug, 'versions', data.from.version),
  });
  print(renderDiff(slug, data, before.content.data.config, paintForStdout));
}
