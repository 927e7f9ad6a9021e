import type { Command } from 'commander';
import type { One, Page } from '../../client/answers.ts';
import type { Label } from '../../client/preset-answers.ts';
import type { ApiClient } from '../api-client.ts';
import { type ApiOptions, apiCommandWithJson, connect, printResponse } from '../api-command.ts';
import { UsageError } from '../command-error.ts';
import { shortTime } from '../short-time.ts';
import { formatTable } from '../table.ts';
import { labelArgument, slugArgument } from './argument.ts';
import { presetPath } from './path.ts';
import { resolveVersion } from './version-reference.ts';

/** One command for three operations; which one follows from the arguments that are present. */
export function labelCommand(): Command {
  return apiCommandWithJson('label')
    .description('List the labels of a preset, or set or remove one')
    .addArgument(slugArgument())
    .addArgument(labelArgument())
    .argument('[version]', 'Version number, another label, "latest" or "designated", the live version')
    .option('--remove', 'Remove the label')
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
      ? 'To remove a label, give its name and no version.'
      : `Give the version that ${name} should point to, or --remove.`,
  );
}

async function listLabels(api: ApiClient, slug: string, options: ApiOptions): Promise<void> {
  const response = await api.send<Page<Label>>({ path: presetPath(slug, 'labels') });
  printResponse(response, options, ({ data }) =>
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
  // A label points to a number: if it copies another label, it does not follow that one later.
  const response = await api.send<One<Label>>({
    method: 'PUT',
    path: presetPath(slug, 'labels', name),
    body: JSON.stringify({ version: await resolveVersion(api, slug, reference) }),
  });
  printResponse(
    response,
    options,
    ({ data }) => `Label ${data.label} now points to ${slug}@${data.version}.`,
  );
}

async function removeLabel(api: ApiClient, slug: string, name: string, options: ApiOptions): Promise<void> {
  const response = await api.send({ method: 'DELETE', path: presetPath(slug, 'labels', name) });
  printResponse(response, options, () => `Removed label ${name} from ${slug}.`);
}
