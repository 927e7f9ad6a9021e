import { expect, it, test } from 'vitest';
import type { UsageDimensionName } from '../../../../src/core/ledger/usage-catalog.ts';
import type { Directory } from '../../api/organization.ts';
import type { UsageRow } from '../../api/usage.ts';
import { valuesOf } from './use-filter-values.ts';
import { valueText } from './value-text.ts';

const ada = { email: 'ada@example.com', first_name: 'Ada', last_name: 'Lovelace' };
const directory = new Map([[ada.email, ada]]) as unknown as Directory;

it.each<[UsageDimensionName, UsageRow, string]>([
  ['preset', { preset: 'id', preset_slug: 'bot' }, 'bot'],
  ['preset', { preset: null, preset_slug: null }, 'No preset'],
  ['preset', { preset: '0123456789abcdef', preset_slug: null }, 'Preset 01234567…, deleted'],
  ['preset_version', { preset_version: 7 }, 'Version 7'],
  ['model', { model: 'openai/gpt-5' }, 'openai/gpt-5'],
  ['model', { model: '' }, 'No model'],
  ['api_key_id', { api_key_id: null }, 'Signed in, no key'],
  ['user', { user: 'u', user_email: ada.email }, 'Ada Lovelace'],
  ['user', { user: 'u', user_email: 'bob@example.com' }, 'bob@example.com'],
  ['status', { status: 502 }, '502'],
  ['purpose', { purpose: 'workbench' }, 'Workbench runs'],
  ['selection', { selection: 'live' }, 'Live version'],
])('%s of %o reads %s', (dimension, row, text) => {
  expect(valueText(dimension, row, directory)).toBe(text);
});

test('a filter offers slugs of presets, addresses of people, and no missing values', () => {
  const presets = [
    { preset: 'id', preset_slug: 'bot' },
    { preset: null, preset_slug: null },
  ];
  expect(valuesOf('preset', presets, directory)).toEqual([{ value: 'bot', text: 'bot', detail: undefined }]);
  expect(valuesOf('person', [{ user: 'u', user_email: ada.email }], directory)).toEqual([
    { value: 'u', text: 'Ada Lovelace', detail: ada.email },
  ]);
  expect(valuesOf('status', [{ status: 200 }], directory).map(({ value }) => value)).toEqual([
    'error',
    'success',
    '200',
  ]);
});
