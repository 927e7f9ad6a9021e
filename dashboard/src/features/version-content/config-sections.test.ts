import { expect, test } from 'vitest';
import { allDialects } from '../../../../src/dialects/dialects.ts';
import { configSections } from './config-sections.ts';

test('config fields are grouped by topic in a fixed order', () => {
  const sections = configSections({ temperature: 0.2, reasoning: { effort: 'low' }, model: 'a/b', top_k: 1 });
  expect(sections.map(({ title, fields }) => [title, fields.map(({ name }) => name)])).toEqual([
    ['Model and routing', ['model']],
    ['Sampling', ['temperature', 'top_k']],
    ['Reasoning', ['reasoning']],
  ]);
});

test('unknown config fields are listed at the end', () => {
  const [section] = configSections({ brand_new_thing: [1] });
  expect(section).toEqual({
    title: 'Other',
    fields: [{ name: 'brand_new_thing', title: 'Brand new thing', isRetitled: false, value: [1] }],
  });
});

test('the name of a config field stays next to a custom title', () => {
  const [section] = configSections({ models: ['a/b'] });
  expect(section?.fields[0]).toMatchObject({
    name: 'models',
    title: 'Fallback models',
    isRetitled: true,
  });
});

test('every config field of every dialect is shown exactly once', () => {
  const all = [...new Set(allDialects.flatMap(({ request }) => Object.keys(request.fields)))];
  const config = Object.fromEntries(all.map((name) => [name, 1]));
  const shown = configSections(config).flatMap(({ fields }) => fields.map(({ name }) => name));
  expect(shown.toSorted()).toEqual(all.toSorted());
});

test('a config field may be named like an inherited property', () => {
  expect(configSections({ constructor: 1 })).toMatchObject([
    { title: 'Other', fields: [{ title: 'Constructor' }] },
  ]);
});
