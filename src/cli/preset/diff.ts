import { Argument, type Command } from 'commander';
import { type ApiOptions, apiAnswerCommand, connect, print, printJson } from '../api-command.ts';
import { paintForOutput } from '../paint.ts';
import type { Diff, One, PresetVersion } from './answers.ts';
import { parseSlug, presetPath } from './path.ts';
import { renderDiff } from './render-diff.ts';
import { resolveVersion } from './version-reference.ts';

export function diffCommand(): Command {
  return apiAnswerCommand('diff')
    .description('show what changed from one version to another')
    .addArgument(new Argument('<slug>').argParser(parseSlug))
    .argument('<from>', 'number of a version, a label, "latest" or "designated"')
    .argument('<to>', 'the same')
    .action(diff);
}

async function diff(slug: string, from: string, to: string, options: ApiOptions): Promise<void> {
  const api = connect(options);
  const [older, newer] = await Promise.all([resolveVersion(api, slug, from), resolveVersion(api, slug, to)]);
  const path = presetPath(slug, 'versions', newer, 'diff');
  const answer = await api.send<One<Diff>>({ path, query: { against: older } });
  if (options.json) return printJson(answer);
  const before = await api.send<One<PresetVersion>>({ path: presetPath(slug, 'versions', older) });
  print(renderDiff(slug, answer.content.data, before.content.data.config, paintForOutput));
}
