import { Argument, type Command } from 'commander';
import type { One, Page } from '../../client/answers.ts';
import type { Label, Preset, PresetVersionDetails } from '../../client/preset-answers.ts';
import type { ApiClient } from '../api-client.ts';
import { type ApiOptions, apiCommandWithJson, connect, printJson } from '../api-command.ts';
import { print } from '../output.ts';
import { paintForStdout } from '../paint.ts';
import { parseSlug, presetPath } from './path.ts';
import { renderPreset } from './render-preset.ts';
import { latestVersion, resolveVersion } from './version-reference.ts';

export function showCommand(): Command {
  return apiCommandWithJson('show')
    .description('show a preset with its system prompt and config')
    .addArgument(new Argument('<slug>').argParser(parseSlug))
    .option('--version <number or label>', 'version to show (default: the live one)')
    .action(show);
}

async function show(slug: string, options: ApiOptions & { readonly version?: string }): Promise<void> {
  const api = connect(options);
  const asked =
    options.version === undefined
      ? undefined
      : await sendVersion(api, slug, await resolveVersion(api, slug, options.version));
  if (asked !== undefined && options.json) return printJson(asked);
  const answer = await api.send<One<Preset>>({ path: presetPath(slug) });
  if (options.json) return printJson(answer);
  const preset = answer.content.data;
  // Only the details of a version name its creator by e-mail address.
  const [version, labels, latest] = await Promise.all([
    asked ?? sendVersion(api, slug, preset.designated_version.version),
    api.send<Page<Label>>({ path: presetPath(slug, 'labels') }),
    latestVersion(api, slug),
  ]);
  const shown = { preset, version: version.content.data, labels: labels.content.data, latest };
  print(renderPreset(shown, paintForStdout));
}

function sendVersion(api: ApiClient, slug: string, number: number) {
  return api.send<One<PresetVersionDetails>>({ path: presetPath(slug, 'versions', number) });
}
