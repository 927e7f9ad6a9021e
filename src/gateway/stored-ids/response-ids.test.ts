import { describe, expect, it } from 'vitest';
import { newId } from '../../core/identifiers.ts';
import { createResponseIds, markPreset } from './response-ids.ts';

const workspace = '0197b8a0-0000-7000-8000-000000000001';
const other = '0197b8a0-0000-7000-8000-000000000002';
const stored = {
  upstream: 'openai',
  id: 'resp_0969b02502f499e700697055b59cbc8190b9667eefb50289c3',
  presets: [markPreset('0197b8a0-0000-7000-8123-4567890abcde')],
};
const withoutPreset = { ...stored, presets: [] };
const marks = (count: number) => Array.from({ length: count }, () => markPreset(newId()));
const ids = createResponseIds('secret');
const signed = ids.sign(workspace, 'response', stored) ?? '';

describe('signed response ids', () => {
  it.each([
    stored,
    withoutPreset,
    { ...stored, presets: marks(2) },
    { upstream: 'a', id: 'gen-1', presets: [] },
    { upstream: 'x'.repeat(63), id: 'aB_9-+='.repeat(20), presets: marks(8) },
    { upstream: 'x'.repeat(63), id: 'x'.repeat(256), presets: marks(8) },
  ])('open to the upstream, its id and the presets: %j', (response) => {
    expect(ids.open(workspace, 'response', ids.sign(workspace, 'response', response) ?? '')).toEqual(
      response,
    );
  });

  it('open to no presets if there are more than eight', () => {
    const many = ids.sign(workspace, 'response', { ...stored, presets: marks(9) }) ?? '';
    expect(ids.open(workspace, 'response', many)).toEqual(withoutPreset);
  });

  it('stay valid in the form without presets', () => {
    const earlier =
      'resp_Bm9wZW5haXJlc3BfMDk2OWIwMjUwMmY0OTllNzAwNjk3MDU1YjU5Y2JjODE5MGI5NjY3ZWVmYjUwMjg5YzNQDksVdKHmDf283hnRO_T6';
    expect(ids.open(workspace, 'response', earlier)).toEqual(withoutPreset);
    expect(ids.sign(workspace, 'response', withoutPreset)).toBe(earlier);
  });

  it('ids of different presets differ', () => {
    const [one = '', two = ''] = marks(2);
    const all = [[], [one], [two], [one, two]].map((presets) =>
      ids.sign(workspace, 'response', { ...stored, presets }),
    );
    expect(new Set(all).size).toBe(4);
  });

  it.each(['', '.', '..', 'a/b', 'a b', 'a?b', 'ü', 'a\n', 'x'.repeat(257)])(
    'are not created for an upstream that calls a response %j',
    (id) => {
      expect(ids.sign(workspace, 'response', { ...stored, id })).toBeUndefined();
    },
  );

  it('have the alphabet and the length of ids', () => {
    expect(signed).toMatch(/^resp_[\w-]+$/);
    expect(signed.length).toBeLessThan(128);
  });

  it('have marks that tell presets apart', () => {
    expect(new Set(marks(1_000)).size).toBe(1_000);
    expect(markPreset('0197b8a0-0000-7000-8123-4567890abcde')).toBe('81234567890abcde');
  });

  it('are the same every time', () => {
    expect(ids.sign(workspace, 'response', stored)).toBe(signed);
    expect(createResponseIds('secret').open(workspace, 'response', signed)).toEqual(stored);
  });

  it('do not open in another workspace or with another secret', () => {
    expect(ids.open(other, 'response', signed)).toBeUndefined();
    expect(createResponseIds('another').open(workspace, 'response', signed)).toBeUndefined();
  });

  it('do not open once any character has changed', () => {
    for (let index = 0; index < signed.length; index += 1)
      for (const character of ['A', 'b', '-', '=', '.', 'é'])
        if (signed[index] !== character)
          expect(
            ids.open(workspace, 'response', signed.slice(0, index) + character + signed.slice(index + 1)),
          ).toBeUndefined();
  });

  it.each([
    '',
    'resp_',
    'resp_A',
    stored.id,
    'msg_1',
    signed.slice(5),
    signed.slice(0, -1),
    `${signed}A`,
    `${signed}=`,
    `resp_${'A'.repeat(5_000)}`,
  ])('%j does not open as a signed id', (id) => {
    expect(ids.open(workspace, 'response', id)).toBeUndefined();
  });

  it('are not created for ids that are too long', () => {
    expect(ids.sign(workspace, 'response', { ...stored, id: 'x'.repeat(257) })).toBeUndefined();
  });

  it.each([
    ['msg_68af40305920', 'msg_'],
    ['rs_1', 'rs_'],
    ['gen-1', 'item_'],
    ['A_b', 'item_'],
    [`${'x'.repeat(17)}_1`, 'item_'],
  ])('of the item %s begin with %s', (id, prefix) => {
    const item = ids.sign(workspace, 'item', { ...stored, id }) ?? '';
    expect(item).toMatch(new RegExp(`^${prefix}[\\w-]+$`));
    expect(ids.open(workspace, 'item', item)).toEqual({ ...stored, id });
    expect(ids.open(workspace, 'item', `resp_${item.slice(prefix.length)}`)).toBeUndefined();
    expect(ids.open(other, 'item', item)).toBeUndefined();
  });

  it('an item id does not open as a response id', () => {
    const item = ids.sign(workspace, 'item', { ...stored, id: 'msg_1' }) ?? '';
    expect(ids.open(workspace, 'response', item)).toBeUndefined();
    const response = ids.sign(workspace, 'response', { ...stored, id: 'msg_1' }) ?? '';
    expect(ids.open(workspace, 'item', response)).toBeUndefined();
  });
});
