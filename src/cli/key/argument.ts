import { Argument } from 'commander';
import { parseIdentifier } from '../identifier-option.ts';

/** `keyPath` also accepts a whole secret, for keys that leaked; the help does not suggest it. */
export function keyArgument(): Argument {
  return new Argument('<key>', 'Label or ID of the key, as shown by "key list"').argParser(parseIdentifier);
}
