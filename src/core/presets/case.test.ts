import { describe, expect, it } from 'vitest';
import { type CaseRule, importSteps, removeCase, saveCase } from './case.ts';
import { caseNameProblem, casesMax } from './case-name.ts';
import type { CurrentCases } from './preset.ts';
import { emptyPreset } from './preset-change.ts';

const at = '2026-01-02T00:00:00.000Z';
const address = { organizationId: 'o', workspaceId: 'w', slug: 'mail' };
const preset = {
  ...emptyPreset(address, 'p', 'ann', at),
  latestVersion: 1,
  designatedNumber: 1,
  revision: 4,
};
const later = '2026-01-02T00:00:05.000Z';

const having = (...contents: readonly (readonly [string, string])[]): CurrentCases => ({
  names: new Set(contents.map(([name]) => name)),
  contents: new Map(contents),
});
const resultOf = (rule: CaseRule, cases: CurrentCases) => {
  const change = rule(preset, cases, later);
  if (change === undefined) return undefined;
  expect(change.next).toEqual({ ...preset, updatedAt: later, revision: 4 + change.events.length });
  return {
    events: change.events.map(({ kind, before, after }) => [kind, before, after]),
    rows: change.cases?.map(({ name, number, contentJson }) => [name, number, contentJson]),
  };
};

describe('the rules of test cases', () => {
  it.each([
    [
      'creates',
      saveCase('a', 'a', '{1}'),
      [],
      [['preset.case_saved', null, { case: 'a' }]],
      [['a', 5, '{1}']],
    ],
    [
      'replaces',
      saveCase('a', 'a', '{2}'),
      [['a', '{1}']],
      [['preset.case_saved', { case: 'a' }, { case: 'a' }]],
      [['a', 5, '{2}']],
    ],
    [
      'renames',
      saveCase('a', 'b', '{1}'),
      [['a', '{1}']],
      [['preset.case_renamed', { case: 'a' }, { case: 'b' }]],
      [
        ['a', 5, null],
        ['b', 5, '{1}'],
      ],
    ],
    [
      'renames and replaces',
      saveCase('a', 'b', '{2}'),
      [['a', '{1}']],
      [
        ['preset.case_renamed', { case: 'a' }, { case: 'b' }],
        ['preset.case_saved', { case: 'b' }, { case: 'b' }],
      ],
      [
        ['a', 5, null],
        ['b', 5, '{1}'],
        ['b', 6, '{2}'],
      ],
    ],
    [
      'removes',
      removeCase('a'),
      [['a', '{1}']],
      [['preset.case_removed', { case: 'a' }, null]],
      [['a', 5, null]],
    ],
  ] as const)('a rule %s a case', (_, rule, cases, events, rows) => {
    expect(resultOf(rule, having(...cases))).toEqual({ events, rows });
  });

  it('saving the same content changes nothing', () => {
    expect(resultOf(saveCase('a', 'a', '{1}'), having(['a', '{1}']))).toBeUndefined();
  });

  const full = having(...Array.from({ length: casesMax }, (_, index) => [`case ${index}`, '{}'] as const));

  it.each([
    ['renaming a case that does not exist', saveCase('a', 'b', '{}'), having(), 'not_found', /no case "a"/],
    [
      'a name that another case has',
      saveCase('a', 'b', '{}'),
      having(['a', '{}'], ['b', '{}']),
      'conflict',
      /already has a case "b"/,
    ],
    ['removing a case that does not exist', removeCase('a'), having(['b', '{}']), 'not_found', /no case "a"/],
    ['one case too many', saveCase('a', 'a', '{}'), full, 'conflict', /already has 500 cases/],
  ] as const)('%s is refused', (_, rule, cases, kind, message) => {
    expect(() => rule(preset, cases, later)).toThrow(
      expect.objectContaining({ kind, message: expect.stringMatching(message) }),
    );
  });

  it('a full preset can still replace and rename its cases', () => {
    expect(resultOf(saveCase('case 7', 'x', '{1}'), full)?.events).toHaveLength(2);
  });

  it.each([saveCase('a', 'a', '{}'), removeCase('a')])('an archived preset keeps its cases', (rule) => {
    expect(() => rule({ ...preset, status: 'archived' }, having(['a', '{1}']), later)).toThrow(
      'The preset "mail" is archived. Restore it before changing its cases.',
    );
  });

  it('an import removes what it does not name, saves what differs and keeps the rest', () => {
    const steps = importSteps(
      having(['same', '{1}'], ['changed', '{1}'], ['gone', '{1}'], ['elsewhere', '{1}']),
      ['same', 'changed', 'new', 'elsewhere'],
      new Map([
        ['same', '{1}'],
        ['changed', '{2}'],
        ['new', '{3}'],
      ]),
    );
    expect(steps.map(({ event, records }) => [event.kind, records])).toEqual([
      ['preset.case_removed', [{ name: 'gone', contentJson: null }]],
      ['preset.case_saved', [{ name: 'changed', contentJson: '{2}' }]],
      ['preset.case_saved', [{ name: 'new', contentJson: '{3}' }]],
    ]);
  });

  it.each([
    ['Late parcel', undefined],
    ['a/b?c#d%', undefined],
    ['😀'.repeat(100), undefined],
    ['😀'.repeat(101), 'must have at most 100 characters'],
    ['', 'must contain a visible character'],
    ['two\nlines', 'must not contain line breaks or other control characters'],
    ['.', 'must not be "." or ".."'],
    ['..', 'must not be "." or ".."'],
    ['...', undefined],
  ])('the case name %j has the problem: %s', (name, problem) => {
    expect(caseNameProblem(name)).toBe(problem);
  });
});
