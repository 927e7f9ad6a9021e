import { describe, expect, it, test } from 'vitest';
import { noteLength, type SaveOptions, saveOptionsOf, withSaveOptions } from './save-options.ts';

describe('saveOptionsOf', () => {
  it.each<[body: object, own: SaveOptions]>([
    [{}, {}],
    [{ presetd: null }, {}],
    [{ presetd: 'x' }, {}],
    [{ presetd: { variables: {} } }, {}],
    [{ presetd: { note: 'Shorter', designate: false } }, { note: 'Shorter', goesLive: false }],
    [{ presetd: { note: '', designate: true } }, { note: '', goesLive: true }],
    [{ presetd: { note: 3, designate: 'no' } }, { note: '', goesLive: true }],
  ])('reads %j as %j', (body, own) => {
    expect(saveOptionsOf(body as Record<string, unknown>)).toEqual(own);
  });
});

describe('withSaveOptions', () => {
  const number = '"seed":12345678901234567890';
  it.each<[title: string, text: string, fields: SaveOptions, sent: string]>([
    ['adds nothing by default', `{${number}}`, {}, `{${number}}`],
    ['adds no empty note', `{${number}}`, { note: ' \n', goesLive: true }, `{${number}}`],
    [
      'adds an object',
      `{${number}}`,
      { note: ' Say "hi" ', goesLive: false },
      `{${number},"presetd": {"note":"Say \\"hi\\"","designate":false}}`,
    ],
    ['replaces null', '{"presetd": null}', { note: 'x' }, '{"presetd": {"note":"x"}}'],
    [
      'extends an object and keeps its digits',
      '{"presetd": {"policy": {"limits": {"n": 1.0}}}}',
      { note: 'x', goesLive: false },
      '{"presetd": {"policy": {"limits": {"n": 1.0}},"note": "x","designate": false}}',
    ],
    [
      'keeps what the request sets itself',
      '{"presetd": {"note": "mine", "designate": true}}',
      { note: 'x', goesLive: false },
      '{"presetd": {"note": "mine", "designate": true}}',
    ],
    [
      'keeps what only the server can reject',
      '{"presetd": 3}',
      { note: 'x', goesLive: false },
      '{"presetd": 3}',
    ],
  ])('%s', (_title, text, fields, sent) => {
    expect(withSaveOptions(text, JSON.parse(text), fields)).toBe(sent);
  });
});

test.each([
  ['', {}],
  ['x'.repeat(449), {}],
  ['x'.repeat(450), { hint: '450 of 500 characters' }],
  [`${'🙂'.repeat(500)}\n`, { hint: '500 of 500 characters' }],
  ['x'.repeat(501), { error: '501 of 500 characters. Shorten the note.' }],
])('the length of %j is shown only near the limit', (note, expected) => {
  expect(noteLength(note)).toEqual(expected);
});
