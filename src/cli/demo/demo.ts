import type { Command } from 'commander';
import { demoCounts, demoWorkspaces } from '../../demo/demo.ts';
import { type ApiClient, type ApiConnection, createApiClient } from '../api-client.ts';
import { type ServerOptions, serverCommand } from '../api-command.ts';
import { CommandError, UsageError } from '../command-error.ts';
import { connectionFor } from '../connection.ts';
import { print } from '../ui/output.ts';
import { pluralize } from '../ui/text.ts';
import { cleanDemo } from './clean-demo.ts';
import { fillDemo } from './fill-demo.ts';

interface DemoOptions extends ServerOptions {
  readonly clean?: true;
  readonly yes?: true;
  readonly serve?: true;
}

export function demoCommand(): Command {
  return serverCommand('demo')
    .description(
      'Fill a server with example workspaces, people, presets, versions and test cases. Run it again to finish after an interruption; --clean removes exactly what it created.',
    )
    .option(
      '--serve',
      'Start a temporary server with the demo data and models that answer offline, and delete it on exit',
    )
    .option('--clean', 'Remove the demo data')
    .option('--yes', 'With --clean: also remove what people changed in it')
    .action(demo);
}

async function demo({ profile, clean, yes, serve }: DemoOptions): Promise<void> {
  if (serve && (clean || profile !== undefined))
    throw new UsageError('--serve starts a server of its own and takes neither --clean nor --profile.');
  if (yes && !clean) throw new UsageError('--yes has no effect without --clean.');
  if (serve) {
    // Loaded here: only --serve needs the web server.
    const { serveDemo } = await import('./serve-demo.ts');
    return serveDemo(summary, startPath);
  }
  const connection = connectionFor('management', profile);
  const admin = createApiClient(connection);
  await assertAdmin(admin, connection);
  if (clean) print((await cleanDemo(connection, admin, yes === true)) ? removed : nothingToRemove);
  else print((await fillDemo(connection, admin)) ? created(connection.url) : alreadyThere(connection.url));
}

const { workspaces, people, presets, versions, cases } = demoCounts;
const summary = `The demo has ${pluralize(workspaces, 'workspace')}, ${people} people, ${pluralize(presets, 'preset')} with ${pluralize(versions, 'version')} and ${pluralize(cases, 'test case')}.`;

/** The default workspace has nothing of the demo. */
const startPath = `/w/${demoWorkspaces[0]?.slug}/presets`;

const removed = 'Removed the demo data.';
const nothingToRemove = 'There is no demo data on this server.';

function created(url: string): string {
  return [summary, address(url), cleanHint].join('\n');
}

function alreadyThere(url: string): string {
  return ['The demo is already there. Nothing was changed.', address(url), cleanHint].join('\n');
}

function address(url: string): string {
  return `Open ${url}${startPath} in a browser.`;
}

const cleanHint = 'To remove it again, run "presetd demo --clean".';

/** Fails before the first change instead of halfway. */
async function assertAdmin(api: ApiClient, { keySetting }: ApiConnection): Promise<void> {
  const { organization, credential, email } = (await account(api)).content.data;
  if (organization?.role !== 'org:admin')
    throw new CommandError(
      `The demo needs an org:admin, and the key in ${keySetting} belongs to ${email}, whose role is ${organization?.role ?? 'none'}. Ask an org:admin to run it.`,
      { kind: 'authentication' },
    );
  if (credential.kind === 'management' && credential.scope === 'write') return;
  const kind = credential.kind === 'api' ? 'an API key' : 'a management key';
  throw new CommandError(
    `The demo needs a management key that can write, and ${keySetting} is ${kind} with the scope ${credential.scope}. Sign in with "presetd login", or set PRESETD_MANAGEMENT_KEY.`,
    { kind: 'authentication' },
  );
}

async function account(api: ApiClient) {
  try {
    return await api.call('GET /account');
  } catch (error) {
    if (!(error instanceof CommandError && error.kind === 'unavailable')) throw error;
    throw error.restated(
      `${error.message} Start it with "presetd serve", or try presetd out with "presetd demo --serve".`,
    );
  }
}
