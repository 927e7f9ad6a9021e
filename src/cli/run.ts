import { constants } from 'node:os';
import { Command } from 'commander';
import { productVersion } from '../package.ts';
import { hasJsonFlag, reportFailure } from './report-failure.ts';
import { printStderr } from './ui/output.ts';

/**
 * The entry point of the command line. Modules are loaded on demand: `presetd preset list` must not
 * wait for the web server and the database drivers. So each command has its one-line summary here,
 * and a placeholder stands in for it in the help until it is called.
 */

interface LazyCommand {
  readonly summary: string;
  readonly load: () => Promise<Command>;
}

/** By help heading, in the order of the help. */
const commandGroups: Readonly<Record<string, Readonly<Record<string, LazyCommand>>>> = {
  'Server:': {
    serve: {
      summary: 'Run the server (same as "npm start")',
      load: async () => (await import('./serve.ts')).serveCommand(),
    },
    demo: {
      summary: 'Run a temporary server with example data',
      load: async () => (await import('./demo/demo.ts')).demoCommand(),
    },
    migrate: {
      summary: 'Upgrade the database schema ("serve" also does this)',
      load: async () => (await import('./migrate.ts')).migrateCommand(),
    },
    recover: {
      summary: 'Create a management key when all are lost',
      load: async () => (await import('./recover.ts')).recoverCommand(),
    },
    'sign-in-link': {
      summary: 'Create a link that signs a person in once',
      load: async () => (await import('./sign-in-link.ts')).signInLinkCommand(),
    },
    backup: {
      summary: 'Back up the whole database to a file while servers run',
      load: async () => (await import('./backup.ts')).backupCommand(),
    },
    restore: {
      summary: 'Restore a backup into a new database',
      load: async () => (await import('./backup.ts')).restoreCommand(),
    },
    health: {
      summary: 'Check whether a server is ready',
      load: async () => (await import('./health.ts')).healthCommand(),
    },
  },
  'Presets:': {
    preset: {
      summary: 'Manage presets',
      load: async () => (await import('./presets.ts')).presetCommand(),
    },
    case: {
      summary: 'Manage the test cases of a preset',
      load: async () => (await import('./cases.ts')).caseCommand(),
    },
    export: {
      summary: 'Export all presets of a workspace as NDJSON',
      load: async () => (await import('./transfer/export.ts')).exportCommand(),
    },
    import: {
      summary: 'Import presets from an export',
      load: async () => (await import('./transfer/import.ts')).importCommand(),
    },
  },
  'Usage:': {
    usage: {
      summary: 'Show what was called and spent',
      load: async () => (await import('./usage.ts')).usageCommand(),
    },
    calls: {
      summary: 'List single calls, newest first, or follow them',
      load: async () => (await import('./calls.ts')).callsCommand(),
    },
  },
  'Account:': {
    login: {
      summary: 'Sign in to a server and save a key for it',
      load: async () => (await import('./login.ts')).loginCommand(),
    },
    logout: {
      summary: 'Delete the saved key, here and on the server',
      load: async () => (await import('./login.ts')).logoutCommand(),
    },
    whoami: {
      summary: 'Show who you are and what you can access',
      load: async () => (await import('./whoami.ts')).whoamiCommand(),
    },
    profile: {
      summary: 'Choose between servers that you are signed in to',
      load: async () => (await import('./profiles.ts')).profileCommand(),
    },
  },
  'Organization:': {
    key: {
      summary: 'Manage API and management keys',
      load: async () => (await import('./keys.ts')).keyCommand(),
    },
    workspace: {
      summary: 'Manage workspaces and their members',
      load: async () => (await import('./workspaces.ts')).workspaceCommand(),
    },
    member: {
      summary: 'Manage members and their accounts',
      load: async () => (await import('./members.ts')).memberCommand(),
    },
    audit: {
      summary: 'List the changes in the organization, newest first',
      load: async () => (await import('./audit.ts')).auditCommand(),
    },
  },
  'Other:': {
    completion: {
      summary: 'Print a completion script for bash, zsh or fish',
      load: async () => (await import('./completion.ts')).completionCommand(() => loadProgram(() => true)),
    },
  },
};

/**
 * Runs one command. A failure is reported on standard error and in the exit code; this never
 * throws.
 */
export async function run(args: readonly string[]): Promise<void> {
  const asJson = hasJsonFlag(args);
  process.stdout.on('error', exitOnOutputError);
  try {
    const commandName = args[0] === 'help' ? args[1] : args[0];
    const program = await loadProgram((name) => name === commandName);
    throwUsageErrors(program, asJson);
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    reportFailure(error, asJson);
  }
}

/** Commands that `shouldLoad` rejects become placeholders with a name and a summary. */
export async function loadProgram(shouldLoad: (name: string) => boolean): Promise<Command> {
  const program = new Command('presetd')
    .description('Self-hosted server for versioned LLM presets')
    .version(productVersion, '-V, --version', 'Show the version')
    // Options after a command's name belong to that command: "preset show" has its own --version.
    .enablePositionalOptions()
    .addHelpText('after', generalHelp);
  for (const [heading, commands] of Object.entries(commandGroups)) {
    program.commandsGroup(heading);
    for (const [name, { summary, load }] of Object.entries(commands)) {
      const command = shouldLoad(name) ? await load() : new Command(name);
      if (command.description() === '') command.description(summary);
      program.addCommand(command.summary(summary));
    }
  }
  configureHelp(program);
  return program;
}

const generalHelp = `
Environment (also read from .env; docs/config.md lists all settings):
  PRESETD_URL             Server to call (default: http://127.0.0.1:7778)
  PRESETD_API_KEY         Key for "preset", "case", "export" and "import"
  PRESETD_MANAGEMENT_KEY  Key for "usage", "calls", "whoami" and "Organization" commands
  PRESETD_PROFILE         Profile to use instead of the current one
  DATABASE_URL            Database of the server commands

Exit codes: 0 success, 1 failure, 2 usage, 3 authentication, 4 not found,
5 conflict, 6 unavailable. With --json, errors are JSON on standard error.`;

/**
 * Restates Commander's own help entries in the style of ours. Subcommands do not inherit any of
 * this.
 */
function configureHelp(command: Command): void {
  command.helpOption('-h, --help', 'Show help').showHelpAfterError('(add --help for usage)');
  if (command.commands.length > 0) command.helpCommand('help [command]', 'Show help for a command');
  for (const child of command.commands) configureHelp(child);
}

/**
 * Commander would otherwise exit the process itself, always with code 1. Subcommands do not inherit
 * this either. With `--json`, its plain-text message is suppressed and `reportFailure` prints JSON.
 */
function throwUsageErrors(command: Command, asJson: boolean): void {
  command.exitOverride();
  if (asJson) command.configureOutput({ writeErr: () => undefined });
  for (const child of command.commands) throwUsageErrors(child, asJson);
}

/**
 * A closed pipe ("| head") is not an error: exit silently, with the code of a process that SIGPIPE
 * ended. Node.js ignores that signal, so the failed write is the only notice.
 */
function exitOnOutputError(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') printStderr(`Cannot write to standard output: ${error.message}.`);
  process.exit(error.code === 'EPIPE' ? 128 + constants.signals.SIGPIPE : 1);
}
