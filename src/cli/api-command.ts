import { Command } from 'commander';
import type { One } from '../client/answers.ts';
import { loadClientConfig } from '../client-config.ts';
import { isUuid } from '../core/workspace.ts';
import { readEnvironment } from '../settings.ts';
import { type ApiClient, type ApiConnection, type ApiResponse, createApiClient } from './api-client.ts';
import { CommandError } from './command-error.ts';
import { parseIdentifier } from './identifier-option.ts';
import { indentJson } from './indent-json.ts';
import { print } from './output.ts';

export interface OutputOptions {
  readonly json?: true;
}

export interface ApiOptions extends OutputOptions {
  readonly workspace?: string;
}

/** A command that talks to the server of PRESETD_URL. */
export function apiCommand(name: string): Command {
  return new Command(name).option(
    '--workspace <id or slug>',
    'for a management key: the workspace (default: the default one)',
    parseIdentifier,
  );
}

/** One that shows what the server answers: to people, or as it came. */
export function apiCommandWithJson(name: string): Command {
  return withJsonOption(apiCommand(name));
}

export function withJsonOption(command: Command): Command {
  return command.option('--json', 'print the answer of the server as JSON');
}

export function connect({ workspace }: ApiOptions): ApiClient {
  const { url, apiKey: key } = loadClientConfig(readEnvironment());
  if (key === undefined) {
    throw new CommandError(
      'No key is set: put one in PRESETD_API_KEY, in the environment or in .env; "presetd key create" makes one.',
      { kind: 'authentication' },
    );
  }
  const connection = { url, key, keySetting: 'PRESETD_API_KEY' };
  return workspace === undefined || isUuid(workspace)
    ? createApiClient(connection, { workspace_id: workspace })
    : connectBySlug(connection, workspace);
}

/** Presets are found by the id of their workspace, which is asked for before the first of them. */
function connectBySlug(connection: ApiConnection, slug: string): ApiClient {
  const findWorkspace = async () => {
    const path = `/workspaces/${encodeURIComponent(slug)}`;
    const { content } = await createApiClient(connection).send<One<{ readonly id: string }>>({ path });
    return createApiClient(connection, { workspace_id: content.data.id });
  };
  let found: Promise<ApiClient> | undefined;
  const client = () => {
    found ??= findWorkspace();
    return found;
  };
  return {
    send: async (request) => (await client()).send(request),
    open: async (path) => (await client()).open(path),
  };
}

/** Prints the answer as JSON where that is asked for, else what is made of it for people. */
export function printResponse<Content>(
  answer: ApiResponse<Content>,
  { json }: OutputOptions,
  render: (content: Content) => string,
): void {
  if (json) printJson(answer);
  else print(render(answer.content));
}

/** What could steer a terminal stands in strings only, and its escape means the same there. */
export function printJson({ text }: { readonly text: string }): void {
  print(indentJson(text));
}
