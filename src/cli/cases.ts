import { type Argument, Command } from 'commander';
import { JsonText, type ResponseOf } from '../api/client.ts';
import { isJsonObject } from '../core/json/json-object.ts';
import { parseExact } from '../core/json/json-text.ts';
import { assertCaseName } from '../core/presets/case-name.ts';
import { type ApiOptions, apiCommandWithJson, connect, printResponse } from './api-command.ts';
import { CommandError } from './command-error.ts';
import { type PageOptions, parseCount, validatedArgument, withPageOptions } from './options.ts';
import { slugArgument } from './preset-reference.ts';
import { readJsonFile } from './read-json-file.ts';
import { formatPage, optionalColumn, textColumn } from './ui/table.ts';
import { shortTime } from './ui/text.ts';

export function caseCommand(): Command {
  return new Command('case')
    .description('Manage the test cases of a preset')
    .addCommand(listCommand())
    .addCommand(showCommand())
    .addCommand(setCommand())
    .addCommand(removeCommand());
}

function nameArgument(): Argument {
  return validatedArgument('<name>', 'Name of the case', assertCaseName);
}

function listCommand(): Command {
  return withPageOptions(apiCommandWithJson('list'))
    .description('List the cases of a preset')
    .addArgument(slugArgument())
    .action(list);
}

async function list(slug: string, options: ApiOptions & PageOptions): Promise<void> {
  const { limit, offset } = options;
  const call = { params: { slug }, query: { limit, offset } };
  const response = await connect(options).call('GET /presets/:slug/cases', call);
  printResponse(response, options, (page) => renderCases(page, offset));
}

function renderCases(
  { data, total_count: total }: ResponseOf<'GET /presets/:slug/cases'>,
  offset: number,
): string {
  const rows = data.map((item) => [
    item.name,
    String(item.messages.length),
    Object.keys(item.variables).join(' '),
    shortTime(item.updated_at),
    item.updated_by_email ?? item.updated_by,
    item.note ?? '',
  ]);
  const header = [
    'NAME',
    optionalColumn('MESSAGES', 1),
    textColumn('VARIABLES'),
    'UPDATED',
    textColumn('BY', 0),
    textColumn('NOTE'),
  ];
  return formatPage(header, rows, offset, total);
}

function showCommand(): Command {
  return apiCommandWithJson('show')
    .description('Print a case as the JSON that "set" reads')
    .addArgument(slugArgument())
    .addArgument(nameArgument())
    .option('--at <event>', 'Number of an event of the preset: show the case as it was then', parseCount)
    .action(show);
}

async function show(
  slug: string,
  name: string,
  options: ApiOptions & { readonly at?: number },
): Promise<void> {
  const call = { params: { slug, name }, query: options.at === undefined ? {} : { at: options.at } };
  const response = await connect(options).call('GET /presets/:slug/cases/:name', call);
  printResponse(response, options, () => contentOf(response.text));
}

/** With exact numbers: the output may be edited and saved again. */
function contentOf(text: string): string {
  const { data } = parseExact(text) as ResponseOf<'GET /presets/:slug/cases/:name'>;
  const { variables, messages, note } = data;
  return JSON.stringify({ variables, messages, ...(note !== null && { note }) }, null, 2);
}

function setCommand(): Command {
  return apiCommandWithJson('set')
    .description('Create or replace a case; a "name" in the file renames it')
    .addArgument(slugArgument())
    .addArgument(nameArgument())
    .argument('<case.json>', 'JSON with "variables", "messages" and "note", or - for standard input')
    .action(set);
}

async function set(slug: string, name: string, file: string, options: ApiOptions): Promise<void> {
  const api = connect(options);
  const { name: source, value, bytes } = await readJsonFile(file);
  if (!isJsonObject(value)) throw new CommandError(`${source} must contain a JSON object.`);
  const response = await api.call('PUT /presets/:slug/cases/:name', {
    params: { slug, name },
    body: new JsonText(bytes),
  });
  printResponse(response, options, ({ data }) =>
    data.name === name
      ? `Saved case "${name}" of ${slug}.`
      : `Saved case "${name}" of ${slug} as "${data.name}".`,
  );
}

function removeCommand(): Command {
  return apiCommandWithJson('remove')
    .description('Remove a case from a preset')
    .addArgument(slugArgument())
    .addArgument(nameArgument())
    .action(remove);
}

async function remove(slug: string, name: string, options: ApiOptions): Promise<void> {
  const call = { params: { slug, name } };
  const response = await connect(options).call('DELETE /presets/:slug/cases/:name', call);
  printResponse(response, options, () => `Removed case "${name}" from ${slug}.`);
}
