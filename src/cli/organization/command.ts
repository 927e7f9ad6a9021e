import { Command } from 'commander';
import { loadClientConfig } from '../../config/client-config.ts';
import { readEnvironment } from '../../config/settings.ts';
import { type ApiClient, type ApiConnection, createApiClient } from '../api-client.ts';
import { withJsonOption } from '../api-command.ts';
import { CommandError } from '../command-error.ts';

/** For commands about keys, members, workspaces and the audit log. All of them support `--json`. */
export function organizationCommand(name: string): Command {
  return withJsonOption(new Command(name));
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
