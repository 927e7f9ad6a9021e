import { Argument } from 'commander';
import { parseIdentifier } from '../identifier-option.ts';

export function workspaceArgument(): Argument {
  return new Argument('<workspace>', 'Slug or ID of the workspace').argParser(parseIdentifier);
}
