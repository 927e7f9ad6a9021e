import { Command } from 'commander';
import type { ApiResponse } from '../api/client.ts';
import { loadClientConfig } from '../config/client-config.ts';
import { readEnvironment } from '../config/settings.ts';
import { type ApiClient, type ApiConnection, createApiClient } from './api-client.ts';
import { CommandError } from './command-error.ts';
import { parseIdentifier } from './options.ts';
import { workspaceIdOf } from './organization-lookup.ts';
import { print } from './ui/output.ts';

/**
 * What all commands that call a server share: their options, the connection, and the choice between
 * text and JSON. Commands that work on presets use `apiCommand` and `connect`, with
 * PRESETD_API_KEY. Commands that administer the organization use `organizationCommand` and
 * `connectToOrganization`, which prefer PRESETD_MANAGEMENT_KEY.
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

/** For commands about keys, members, workspaces and the audit log. */
export function organizationCommand(name: string): Command {
  return withJsonOption(new Command(name));
}

function withJsonOption(command: Command): Command {
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
  // The preset routes accept a workspace only by ID. The promise is shared: commands that send
  // several requests look a slug up once.
  let workspaceId: Promise<string | undefined> | undefined;
  return createApiClient(connection, () => {
    workspaceId ??= workspaceIdOf(createApiClient(connection), workspace);
    return workspaceId;
  });
}

/** Throws a `CommandError` if no key is set. Nothing is sent yet. */
export function connectToOrganization(): ApiClient {
  return createApiClient(organizationConnection());
}

/**
 * Prefers PRESETD_MANAGEMENT_KEY, so that an API key for presets can be set next to it, and falls
 * back to PRESETD_API_KEY for users who set one management key for everything.
 */
export function organizationConnection(): ApiConnection {
  const { url, apiKey, managementKey } = loadClientConfig(readEnvironment());
  if (managementKey !== undefined) return { url, key: managementKey, keySetting: 'PRESETD_MANAGEMENT_KEY' };
  if (apiKey !== undefined) return { url, key: apiKey, keySetting: 'PRESETD_API_KEY' };
  throw new CommandError(
    'No management key is set. Set PRESETD_MANAGEMENT_KEY in the environment or in .env to the key that the server printed on its first start, or create one with "presetd recover".',
    { kind: 'authentication' },
  );
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

/**
 * Lays out valid JSON as `JSON.stringify(value, null, 2)` would, but changes only white space:
 * parsing and serializing would round large numbers and reorder numeric keys. (The formatter of
 * jsonc-parser does the same, but `applyEdits` takes minutes for a megabyte.)
 */
export function indentJson(text: string): string {
  let depth = 0;
  let isInString = false;
  const lineBreak = () => `\n${'  '.repeat(depth)}`;
  return text.replaceAll(/\\.|"|[{[]\s*[}\]]|[{}[\],:]|\s+/g, (token) => {
    if (token === '"') isInString = !isInString;
    if (token === '"' || isInString) return token;
    switch (token) {
      case '{':
      case '[':
        depth += 1;
        return token + lineBreak();
      case '}':
      case ']':
        depth -= 1;
        return lineBreak() + token;
      case ',':
        return token + lineBreak();
      case ':':
        return ': ';
      default:
        // White space, or an empty object or array, which stays on one line.
        return token.replaceAll(/\s/g, '');
    }
  });
}
