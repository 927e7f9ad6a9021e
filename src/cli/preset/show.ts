import { Argument, type Command } from 'commander';
import type { One, Page } from '../../client/answers.ts';
import type { Label, Preset, PresetVersion } from '../../client/preset-answers.ts';
import type { ApiClient } from '../api-client.ts';
import { type ApiOptions, apiAnswerCommand, connect, printJson } from '../api-command.ts';
import { print } from '../output.ts';
import { paintForOutput } from '../paint.ts';
import { parseSlug, presetPath } from './path.ts';
import { renderPreset } from './render-preset.ts';
import { latestVersion, resolveVersion } from './version-reference.ts';

export function showCommand(): Command {
  return apiAnswerCommand('show')
    .description('show a preset with its system prompt and config')
    .addArgument(new Argument('<slug>').argParser(parseSlug))
    .option('--version <number or label>', 'another version than the designated one')
    .action(show);
}

async function show(slug: string, options: ApiOptions & { readonly version?: string }): Promise<void> {
  const api = connect(options);
  const asked = options.version === undefined ? undefined : await sendVersion(api, slug, options.version);
  if (asked !== undefined && options.json) return printJson(asked);
  const answer = await api.send<One<Preset>>({ path: presetPath(slug) });
  if (options.json) return printJson(answer);
  const [labels, latest] = await Promise.all([
    api.send<Page<Label>>({ path: presetPath(slug, 'labels') }),
    latestVersion(api, slug),
  ]);
  const preset = answer.content.data;
  const version = asked?.content.data ?? preset.designated_version;
  print(renderPreset({ preset, version, labels: labels.content.data, latest }, paintForOutput));
}

async function sendVersion(api: ApiClient, slug: string, reference: string) {
  const number = await resolveVersion(api, slug, reference);
  return api.send<One<PresetVersion>>({ path: presetPath(slug, 'versions', number) });
}
