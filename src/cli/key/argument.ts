import { Argument } from 'commander';
import { parseIdentifier } from '../identifier-option.ts';

export function keyArgument(): Argument {
  return new Argument('<key>', 'its label or id, as "key list" shows them').argParser(parseIdentifier);
}
