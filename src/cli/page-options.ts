import type { Command } from 'commander';
import { parseCount, parsePageLimit } from './count-option.ts';

export interface PageOptions {
  readonly limit: number;
  readonly offset: number;
}

export function withPageOptions(command: Command): Command {
  return command
    .option('--limit <count>', 'how many', parsePageLimit, 50)
    .option('--offset <count>', 'how many to skip', parseCount, 0);
}
