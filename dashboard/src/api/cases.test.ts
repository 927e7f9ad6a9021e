import { QueryClient } from '@tanstack/react-query';
import { describe, expect, test } from 'vitest';
import type { PresetCase } from '../../../src/api/cases.ts';
import { withCase } from './cases.ts';
import { carryCases, casesKey } from './presets.ts';

const named = (name: string, note: string | null = null) => ({ name, note }) as PresetCase;
const all = [named('Angry'), named('Late'), named('Lost')];

describe('the list of cases', () => {
  test.each([
    ['a new one by its name', named('Damaged'), ['Angry', 'Damaged', 'Late', 'Lost']],
    ['a new one at the end', named('Wrong'), ['Angry', 'Late', 'Lost', 'Wrong']],
    ['one in its place', named('Late', 'again'), ['Angry', 'Late', 'Lost']],
  ])('gets %s', (_, saved, names) => {
    const after = withCase(all, saved.name, saved);
    expect(after.map(({ name }) => name)).toEqual(names);
    expect(after).toContain(saved);
  });

  test('loses a removed case', () => {
    expect(withCase(all, 'Late', undefined).map(({ name }) => name)).toEqual(['Angry', 'Lost']);
  });

  test('is carried over to the state after a change, unless somebody else made one in between', () => {
    const client = new QueryClient();
    const name = { workspaceId: 'w', slug: 'a' };
    client.setQueryData(casesKey(name, '"1"'), all);
    carryCases(client, name, '"1"', '"2"');
    expect(client.getQueryData(casesKey(name, '"2"'))).toBe(all);
    carryCases(client, name, '"3"', '"4"');
    expect(client.getQueryData(casesKey(name, '"4"'))).toBeUndefined();
    client.clear();
  });
});
