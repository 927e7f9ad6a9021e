import { Command } from 'commander';
import { loadClientConfig } from '../../client-config.ts';
import { readEnvironment } from '../../settings.ts';
import { type ApiClient, type ApiConnection, createApiClient } from '../api-client.ts';
import { withJsonOption } from '../api-command.ts';
import { CommandError } from '../command-error.ts';

/** A command about keys, people or workspaces, which shows what the server answers. */
export function organizationCommand(name: string): Command {
  return withJsonOption(new Command(name));
}

export function connectToOrganization(): ApiClient {
  return createApiClient(organizationConnection());
}

/** Presets and administration have keys of their own; a management key for both may stand in the place of the first. */
export function organizationConnection(): ApiConnection {
  const { url, apiKey, managementKey } = loadClientConfig(readEnvironment());
  if (managementKey !== undefined) return { url, key: managementKey, keySetting: 'PRESETD_MANAGEMENT_KEY' };
  if (apiKey !== undefined) return { url, key: apiKey, keySetting: 'PRESETD_API_KEY' };
  throw new CommandError(
    'No key is set: put a management key in PRESETD_MANAGEMENT_KEY, in the environment or in .env; the server shows one at its first start, and "presetd recover" makes one where all are lost.',
    { kind: 'authentication' },
  );
}
