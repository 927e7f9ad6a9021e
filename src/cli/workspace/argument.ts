import { Argument } from 'commander';
import { parseReference } from '../reference.ts';

export function workspaceArgument(): Argument {
  return new Argument('<workspace>', 'its slug or id').argParser(parseReference);
}
