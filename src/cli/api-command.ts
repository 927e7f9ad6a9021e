import { Command } from 'commander';
import type { ApiResponse } from '../api/client.ts';
import { type ApiClient, createApiClient } from './api-client.ts';
import { connectionFor } from './connection.ts';
import { parseIdentifier, parseProfile } from './options.ts';
import { workspaceIdOf } from './organization-lookup.ts';
import { print } from './ui/output.ts';

/**
 * Shared by all commands that call a server: their options, the connection, and the choice between
 * text and JSON. Commands that work on presets use `apiCommand` and `connect`, with
 * PRESETD_API_KEY. Commands that administer the organization use `organizationCommand` and
 * `connectToOrganization`, with PRESETD_MANAGEMENT_KEY. `resolveConnection` says when they use a
 * profile instead. Commands about calls, which either kind of key can read, use `usageCommand` and
 * `connectToUsage`.
 */

export interface ServerOptions {
  readonly profile?: string;
  readonly json?: true;
}

export interface ApiOptions extends ServerOptions {
  readonly workspace?: string;
}

/** A command that calls a server. */
export function serverCommand(name: string): Command {
  return new Command(name).option(
    '--profile <name>',
    'Profile to use (default: PRESETD_PROFILE or the current profile)',
    parseProfile,
  );
}

export function apiCommand(name: string): Command {
  return serverCommand(name).option(
    '--workspace <id or slug>',
    'Workspace, for management keys (default: that of your profile, or else the default workspace)',
    parseIdentifier,
  );
}

/** For commands that print one response, which `--json` prints unchanged. */
export function apiCommandWithJson(name: string): Command {
  return withJsonOption(apiCommand(name));
}

/** For commands about people, keys, members, workspaces and the audit log. */
export function organizationCommand(name: string): Command {
  return withJsonOption(serverCommand(name));
}

/** For commands about calls: those of the organization, or of a workspace, depending on the key. */
export function usageCommandWithJson(name: string): Command {
  return withJsonOption(usageCommand(name));
}

function usageCommand(name: string): Command {
  return serverCommand(name).option(
    '--workspace <id or slug>',
    'Only calls of this workspace (default: all that the key can read)',
    parseIdentifier,
  );
}

function withJsonOption(command: Command): Command {
  return command.option('--json', "Print the server's response as JSON");
}

/** Throws a `CommandError` if there is no key. Nothing is sent yet. */
export function connect(options: ApiOptions): ApiClient {
  return connectToWorkspace('api', options);
}

/** Throws a `CommandError` if there is no key. Nothing is sent yet. */
export function connectToUsage(options: ApiOptions): ApiClient {
  return connectToWorkspace('management', options);
}

function connectToWorkspace(
  kind: 'api' | 'management',
  { workspace: requested, profile }: ApiOptions,
): ApiClient {
  const { workspace: ofProfile, ...connection } = connectionFor(kind, profile);
  const workspace = requested ?? ofProfile?.id;
  // The preset routes accept a workspace only by ID. The promise is shared: commands that send
  // several requests look a slug up once.
  let workspaceId: Promise<string | undefined> | undefined;
  const workspaceSetting =
    requested === undefined && ofProfile ? `${ofProfile.slug}, from ${connection.keySetting}` : undefined;
  return createApiClient({ ...connection, workspaceSetting }, () => {
    workspaceId ??= workspaceIdOf(createApiClient(connection), workspace);
    return workspaceId;
  });
}

/** Throws a `CommandError` if there is no key. Nothing is sent yet. */
export function connectToOrganization({ profile }: ServerOptions): ApiClient {
  return createApiClient(connectionFor('management', profile));
}

/** The workspace that a command about keys or events names, or else the one of the profile. */
export function workspaceOrDefault(
  workspace: string | undefined,
  { profile }: ServerOptions,
): string | undefined {
  return workspace ?? connectionFor('management', profile).workspace?.id;
}

/** Prints the response as JSON with `--json`, and otherwise as the text that `render` returns. */
export function printResponse<Content>(
  response: ApiResponse<Content>,
  { json }: ServerOptions,
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
