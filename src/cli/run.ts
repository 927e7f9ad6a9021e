import { constants } from 'node:os';
import { Command } from 'commander';
import { productVersion } from '../product-version.ts';
import { printStderr } from './output.ts';
import { hasJsonFlag, reportFailure } from './report-failure.ts';

interface LazyCommand {
  readonly description: string;
  readonly load: () => Promise<Command>;
}

/** In the order of the help, which needs none of them loaded. */
const commands: Readonly<Record<string, LazyCommand>> = {
  serve: {
    description: 'run the server (this is what "npm start" does)',
    load: async () => (await import('./serve.ts')).serveCommand(),
  },
  migrate: {
    description: 'bring the database to the newest schema ("serve" does it too)',
    load: async () => (await import('./migrate.ts')).migrateCommand(),
  },
  recover: {
    description: 'make a management key in the database itself, for when all of them are lost',
    load: async () => (await import('./recover.ts')).recoverCommand(),
  },
  backup: {
    description: 'write everything the database holds into a file, while servers go on',
    load: async () => (await import('./backup.ts')).backupCommand(),
  },
  restore: {
    description: 'make a database of what "backup" wrote, where there is none yet',
    load: async () => (await import('./restore.ts')).restoreCommand(),
  },
  health: {
    description: 'ask a server whether it is ready to work (PRESETD_URL, else HOST and PORT)',
    load: async () => (await import('./health.ts')).healthCommand(),
  },
  preset: {
    description: 'work with presets on a server (PRESETD_URL, PRESETD_API_KEY)',
    load: async () => (await import('./preset.ts')).presetCommand(),
  },
  export: {
    description: 'write all presets of a workspace as lines of JSON, for "import" or to keep',
    load: async () => (await import('./export.ts')).exportCommand(),
  },
  import: {
    description: 'bring in presets that "export" wrote; what is there already, or was changed later, stays',
    load: async () => (await import('./import.ts')).importCommand(),
  },
  key: {
    description: 'hand out, rotate and withdraw keys (PRESETD_URL, PRESETD_MANAGEMENT_KEY)',
    load: async () => (await import('./key.ts')).keyCommand(),
  },
  workspace: {
    description: 'manage workspaces and who works in them',
    load: async () => (await import('./workspace.ts')).workspaceCommand(),
  },
  member: {
    description: 'manage the members of the organization',
    load: async () => (await import('./member.ts')).memberCommand(),
  },
  audit: {
    description: 'list what was done in the organization and who did it, the latest first',
    load: async () => (await import('./audit.ts')).auditCommand(),
  },
  completion: {
    description: 'print a script that completes presetd commands in bash, zsh or fish',
    load: async () => (await import('./completion.ts')).completionCommand(() => loadProgram(() => true)),
  },
};

/** Runs one command. A failure is reported on standard error and in the exit code. */
export async function run(args: readonly string[]): Promise<void> {
  const asJson = hasJsonFlag(args);
  process.stdout.on('error', endWithoutOutput);
  try {
    const called = args[0] === 'help' ? args[1] : args[0];
    const program = await loadProgram((name) => name === called);
    throwUsageErrors(program, asJson);
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    reportFailure(error, asJson);
  }
}

/** The commands that are not wanted have their name and description only. */
export async function loadProgram(isWanted: (name: string) => boolean): Promise<Command> {
  const program = new Command('presetd')
    .description(
      'Versioned LLM presets, self-hosted. Settings come from the environment or a .env file; see docs/config.md.',
    )
    .version(productVersion)
    // What follows the name of a command is the command's own: "preset show" has a --version too.
    .enablePositionalOptions()
    .showHelpAfterError('(add --help for what is possible)')
    .addHelpText('after', exitCodeHelp);
  for (const [name, { description, load }] of Object.entries(commands)) {
    const command = isWanted(name) ? await load() : new Command(name);
    program.addCommand(command.description(description));
  }
  return program;
}

const exitCodeHelp = `
Exit codes: 0 success, 1 failure, 2 usage, 3 authentication, 4 not found,
5 conflict, 6 unavailable. With --json, errors are JSON on standard error.`;

/** Commander exits the process by itself otherwise, with 1. Subcommands don't inherit this from their parent. */
function throwUsageErrors(command: Command, asJson: boolean): void {
  command.exitOverride();
  if (asJson) command.configureOutput({ writeErr: () => undefined });
  for (const child of command.commands) throwUsageErrors(child, asJson);
}

/** Whoever read the output may have seen enough ("| head"): that is no error, and ends a program in silence. */
function endWithoutOutput(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') printStderr(`Standard output cannot be written: ${error.message}.`);
  process.exit(error.code === 'EPIPE' ? 128 + constants.signals.SIGPIPE : 1);
}
