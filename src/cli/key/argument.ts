import { Argument } from 'commander';
import { parseReference } from '../reference.ts';

export function keyArgument(): Argument {
  return new Argument('<key>', 'its label or id, as "key list" shows them').argParser(parseReference);
}
