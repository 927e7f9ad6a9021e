import { Argument, type Command } from 'commander';
import type { One, Page } from '../../client/answers.ts';
import type { Label } from '../../client/preset-answers.ts';
import type { ApiClient } from '../api-client.ts';
import { type ApiOptions, apiCommandWithJson, connect, printResponse } from '../api-command.ts';
import { UsageError } from '../command-error.ts';
import { shortTime } from '../short-time.ts';
import { formatTable } from '../table.ts';
import { parseLabel, parseSlug, presetPath } from './path.ts';
import { resolveVersion } from './version-reference.ts';

export function labelCommand(): Command {
  return apiCommandWithJson('label')
    .description('list the labels of a preset, or point one of them at a version')
    .addArgument(new Argument('<slug>').argParser(parseSlug))
    .addArgument(new Argument('[label]', 'such as "production"').argParser(parseLabel))
    .argument('[version]', 'its number, another label, "latest" or "designated"')
    .option('--remove', 'remove the label instead')
    .action(label);
}

type LabelOptions = ApiOptions & { readonly remove?: true };

async function label(
  slug: string,
  name: string | undefined,
  version: string | undefined,
  options: LabelOptions,
): Promise<void> {
  const api = connect(options);
  if (name !== undefined && version !== undefined && !options.remove)
    return setLabel(api, slug, name, version, options);
  if (name !== undefined && version === undefined && options.remove)
    return removeLabel(api, slug, name, options);
  if (name === undefined && !options.remove) return listLabels(api, slug, options);
  throw new UsageError(
    options.remove
      ? 'To remove a label give its name, and no version.'
      : `Give the version that ${name} shall point at, or --remove.`,
  );
}

async function listLabels(api: ApiClient, slug: string, options: ApiOptions): Promise<void> {
  const answer = await api.send<Page<Label>>({ path: presetPath(slug, 'labels') });
  printResponse(answer, options, ({ data }) =>
    data.length === 0
      ? `${slug} has no labels.`
      : formatTable(
          ['LABEL', 'VERSION', 'UPDATED'],
          data.map((item) => [item.label, String(item.version), shortTime(item.updated_at)]),
        ),
  );
}

async function setLabel(
  api: ApiClient,
  slug: string,
  name: string,
  reference: string,
  options: ApiOptions,
): Promise<void> {
  const answer = await api.send<One<Label>>({
    method: 'PUT',
    path: presetPath(slug, 'labels', name),
    body: JSON.stringify({ version: await resolveVersion(api, slug, reference) }),
  });
  printResponse(answer, options, ({ data }) => `${data.label} is now ${slug}@${data.version}.`);
}

async function removeLabel(api: ApiClient, slug: string, name: string, options: ApiOptions): Promise<void> {
  const answer = await api.send({ method: 'DELETE', path: presetPath(slug, 'labels', name) });
  printResponse(answer, options, () => `Removed the label ${name} from ${slug}.`);
}
