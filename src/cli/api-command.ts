import { Command } from 'commander';
import type { One } from '../client/answers.ts';
import { loadClientConfig } from '../config/client-config.ts';
import { readEnvironment } from '../config/settings.ts';
import { isUuid } from '../core/organization/workspace.ts';
import { type ApiClient, type ApiConnection, type ApiResponse, createApiClient } from './api-client.ts';
import { CommandError } from './command-error.ts';
import { parseIdentifier } from './identifier-option.ts';
import { indentJson } from './indent-json.ts';
import { print } from './output.ts';

/**
 * What the commands that work on presets share: their options, the connection with
 * PRESETD_API_KEY, and the choice between text and JSON. Commands that administer the organization
 * use `organization/command.ts` instead, which prefers the management key.
 */

export interface OutputOptions {
  readonly json?: true;
}

export interface ApiOptions extends OutputOptions {
  readonly workspace?: string;
}

export function apiCommand(name: string): Command {
  return new Command(name).option(
    '--workspace <id or slug>',
    'Workspace, for management keys (default: the default workspace)',
    parseIdentifier,
  );
}

/** For commands that print one response, which `--json` prints unchanged. */
export function apiCommandWithJson(name: string): Command {
  return withJsonOption(apiCommand(name));
}

export function withJsonOption(command: Command): Command {
  return command.option('--json', "Print the server's response as JSON");
}

/** Throws a `CommandError` if PRESETD_API_KEY is not set. Nothing is sent yet. */
export function connect({ workspace }: ApiOptions): ApiClient {
  const { url, apiKey: key } = loadClientConfig(readEnvironment());
  if (key === undefined) {
    throw new CommandError(
      'No API key is set. Set PRESETD_API_KEY in the environment or in .env; "presetd key create" creates a key.',
      { kind: 'authentication' },
    );
  }
  const connection = { url, key, keySetting: 'PRESETD_API_KEY' };
  return workspace === undefined || isUuid(workspace)
    ? createApiClient(connection, { workspace_id: workspace })
    : connectBySlug(connection, workspace);
}

/**
 * The preset routes accept a workspace only by ID, so the slug is resolved before the first
 * request. The promise is shared: commands that send several requests at once resolve it once.
 */
function connectBySlug(connection: ApiConnection, slug: string): ApiClient {
  const resolveWorkspace = async () => {
    const path = `/workspaces/${encodeURIComponent(slug)}`;
    const { content } = await createApiClient(connection).send<One<{ readonly id: string }>>({ path });
    return createApiClient(connection, { workspace_id: content.data.id });
  };
  let resolving: Promise<ApiClient> | undefined;
  const client = () => {
    resolving ??= resolveWorkspace();
    return resolving;
  };
  return {
    send: async (request) => (await client()).send(request),
    open: async (path) => (await client()).open(path),
  };
}

/** Prints the response as JSON with `--json`, and otherwise as the text that `render` returns. */
export function printResponse<Content>(
  response: ApiResponse<Content>,
  { json }: OutputOptions,
  render: (content: Content) => string,
): void {
  if (json) printJson(response);
  else print(render(response.content));
}

/**
 * Escaping control characters keeps the JSON equivalent: they can only occur inside strings, where
 * `\u001b` means the same as the character.
 */
export function printJson({ text }: { readonly text: string }): void {
  print(indentJson(text));
}
