import type { Command } from 'commander';
import type { One, Page } from '../../client/answers.ts';
import type { Label, Preset, PresetVersionDetails } from '../../client/preset-answers.ts';
import type { ApiClient } from '../api-client.ts';
import { type ApiOptions, apiCommandWithJson, connect, printJson } from '../api-command.ts';
import { print } from '../output.ts';
import { paintForStdout } from '../paint.ts';
import { slugArgument } from './argument.ts';
import { presetPath } from './path.ts';
import { renderPreset } from './render-preset.ts';
import { latestVersion, resolveVersion } from './version-reference.ts';

export function showCommand(): Command {
  return apiCommandWithJson('show')
    .description('Show a preset with its system prompt and config')
    .addArgument(slugArgument())
    .option('--version <number or label>', 'Version to show (default: the live version)')
    .action(show);
}

/**
 * With `--json` this prints one response: the version if `--version` is given, otherwise the
 * preset. The text for people combines several.
 */
async function show(slug: string, options: ApiOptions & { readonly version?: string }): Promise<void> {
  const api = connect(options);
  const requestedVersion =
    options.version === undefined
      ? undefined
      : await fetchVersion(api, slug, await resolveVersion(api, slug, options.version));
  if (requestedVersion !== undefined && options.json) return printJson(requestedVersion);
  const response = await api.send<One<Preset>>({ path: presetPath(slug) });
  if (options.json) return printJson(response);
  const preset = response.content.data;
  // The preset includes its live version, but only the version resource has the creator's address.
  const [version, labels, latest] = await Promise.all([
    requestedVersion ?? fetchVersion(api, slug, preset.designated_version.version),
    api.send<Page<Label>>({ path: presetPath(slug, 'labels') }),
    latestVersion(api, slug),
  ]);
  const shown = { preset, version: version.content.data, labels: labels.content.data, latest };
  print(renderPreset(shown, paintForStdout));
}

function fetchVersion(api: ApiClient, slug: string, number: number) {
  return api.send<One<PresetVersionDetails>>({ path: presetPath(slug, 'versions', number) });
}
