import { Command } from 'commander';
import { ConfigError } from '../config.ts';
import { PresetdError } from '../core/errors.ts';
import { productVersion } from '../product-version.ts';
import { StorageOpenError } from '../storage/open.ts';
import { keyCommand } from './key.ts';
import { memberCommand } from './member.ts';
import { migrateCommand } from './migrate.ts';
import { serveCommand } from './serve.ts';

/** Runs one command. Trouble that a person can mend is told in a sentence; anything else keeps its stack. */
export async function run(args: readonly string[]): Promise<void> {
  const program = new Command('presetd')
    .description(
      'Versioned LLM presets, self-hosted. Settings come from the environment or a .env file; see docs/config.md.',
    )
    .version(productVersion)
    .showHelpAfterError('(add --help for what is possible)')
    .addCommand(serveCommand())
    .addCommand(migrateCommand())
    .addCommand(keyCommand())
    .addCommand(memberCommand());
  try {
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    process.exitCode = 1;
    console.error(explain(error));
  }
}

function explain(error: unknown): string {
  if (error instanceof ConfigError) return `presetd cannot run. ${error.message}`;
  if (error instanceof StorageOpenError)
    return `presetd cannot use its database (DATABASE_URL): ${error.message}`;
  if (error instanceof PresetdError) return error.message;
  if (
    error instanceof Error &&
    'syscall' in error &&
    /^(listen|getaddrinfo|bind)$/.test(String(error.syscall))
  ) {
    return `presetd cannot listen: ${error.message}. Set HOST and PORT to an address of this machine that is free.`;
  }
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
