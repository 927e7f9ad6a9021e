import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { dialects } from '../../../core/presets/preset.ts';
import { dialectOf } from '../../dialects.ts';
import { policy as policySchema } from './policy.ts';

describe('the schema of a policy', () => {
  const validate = new Ajv({ strict: true }).compile(policySchema);

  it.each<[unknown, boolean]>([
    [{}, true],
    [{ system_prompt: 'prepend', locked: ['model'], limits: { max_tokens: 2_000 } }, true],
    [{ limits: { max_tokens: 1, temperature: 0, n: 1, reasoning_tokens: 1 } }, true],
    [{ system_prompt: 'before' }, false],
    [{ system_prompt: null }, false],
    [{ locked: 'model' }, false],
    [{ locked: [''] }, false],
    [{ locked: ['a'.repeat(65)] }, false],
    [{ locked: Array.from({ length: 65 }, String) }, false],
    [{ limits: { max_tokens: 0 } }, false],
    [{ limits: { max_tokens: 1.5 } }, false],
    [{ limits: { temperature: 2.1 } }, false],
    [{ limits: { n: 0 } }, false],
    [{ limits: { max_output_tokens: 5 } }, false],
    [{ mode: 'lock' }, false],
    [[], false],
  ])('decides about %j: %s', (policy, isValid) => {
    expect(validate(policy)).toBe(isValid);
  });

  it.each(dialects)('accepts locks on every field that a %s preset saves', (dialect) => {
    const locked = Object.keys(dialectOf[dialect].request.fields).filter(
      (name) => dialectOf[dialect].request.fields[name] === 'captured',
    );
    expect(validate({ locked })).toBe(true);
  });
});
