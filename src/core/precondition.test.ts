import { describe, expect, it } from 'vitest';
import { assertPrecondition, hasPrecondition, type Precondition, presetEtag } from './precondition.ts';

const preset = { id: 'a', revision: 3, slug: 'mail' };

describe('a precondition', () => {
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
  ])('of %j holds for a preset: %s, and without one: %s', (precondition, holdsForPreset, holdsWithout) => {
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

  it('that fails tells the tag of the present state', () => {
    expect(() => assertPrecondition(preset, { ifMatch: ['a.2'] })).toThrow('it is now at "a.3"');
    expect(presetEtag(preset)).toBe('a.3');
  });

  it('is there when a header made one', () => {
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
