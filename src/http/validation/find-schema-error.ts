import { schemas } from '../../api/contract.ts';
import { validatorsOf } from './validation.ts';

/**
 * Validates a value by a named schema of the contract, as if it were the body of a request. Returns
 * undefined if it is valid.
 */
export function findSchemaError(name: string, value: unknown): Error | undefined {
  const validate = validators.get(name) ?? createValidator(name);
  validators.set(name, validate);
  const { error } = validate(value) as { readonly error?: Error };
  return error;
}

/** Grows to one entry per schema that is used. */
const validators = new Map<string, ReturnType<typeof createValidator>>();

function createValidator(name: string) {
  const { compiler } = validatorsOf(schemas);
  return compiler({ schema: { $ref: `${name}#` }, httpPart: 'body', method: 'POST', url: '' });
}
