import type { Command } from 'commander';
import { parseCount, parsePageLimit } from './count-option.ts';

export interface PageOptions {
  readonly limit: number;
  readonly offset: number;
}

/** Adds the options of lists that are paged by offset. Fifty rows are about one screen. */
export function withPageOptions(command: Command): Command {
  return command
    .option('--limit <count>', 'Maximum number of results', parsePageLimit, 50)
    .option('--offset <count>', 'Number of results to skip', parseCount, 0);
}
