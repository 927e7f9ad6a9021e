import { describe, expect, it } from 'vitest';
import { assertPrecondition, hasPrecondition, type Precondition, presetEtag } from './precondition.ts';

const preset = { id: 'a', revision: 3, slug: 'mail' };

describe('assertPrecondition', () => {
  it.each<[Precondition, boolean, boolean]>([
    [{}, true, true],
    [{ ifMatch: '*' }, true, false],
    [{ ifMatch: ['a.3'] }, true, false],
    [{ ifMatch: ['x', 'a.3'] }, true, false],
    [{ ifMatch: ['a.2'] }, false, false],
    [{ ifMatch: ['a.30'] }, false, false],
    [{ ifMatch: ['b.3'] }, false, false],
    [{ ifMatch: ['*'] }, false, false],
    [{ ifMatch: [] }, false, false],
    [{ mustBeNew: true }, false, true],
    [{ mustBeNew: false }, true, true],
    [{ mustBeNew: true, ifMatch: '*' }, false, false],
  ])('%j holds for a preset: %s, without a preset: %s', (precondition, holdsForPreset, holdsWithout) => {
    const holds = (state: typeof preset | undefined) => {
      try {
        assertPrecondition(state, precondition);
        return true;
      } catch (error) {
        expect(error).toMatchObject({ kind: 'precondition_failed' });
        return false;
      }
    };
    expect([holds(preset), holds(undefined)]).toEqual([holdsForPreset, holdsWithout]);
  });

  it('a failed precondition reports the current ETag', () => {
    expect(() => assertPrecondition(preset, { ifMatch: ['a.2'] })).toThrow('its ETag is now "a.3"');
    expect(presetEtag(preset)).toBe('a.3');
  });

  it('hasPrecondition is true if a header set a condition', () => {
    expect(
      [
        {},
        { ifMatch: undefined, mustBeNew: undefined },
        { ifMatch: [] },
        { ifMatch: '*' as const },
        { mustBeNew: true },
      ].map(hasPrecondition),
    ).toEqual([false, false, true, true, true]);
  });
});
