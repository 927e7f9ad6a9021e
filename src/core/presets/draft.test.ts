import { describe, expect, it } from 'vitest';
import { type Draft, discardDraft, saveDraft } from './draft.ts';
import { presetEtag } from './precondition.ts';
import { emptyPreset } from './preset-change.ts';

const at = '2026-01-02T00:00:00.000Z';
const address = { organizationId: 'o', workspaceId: 'w', slug: 'mail' };
const preset = { ...emptyPreset(address, 'p', 'ann', at), latestVersion: 3, designatedNumber: 2 };
const content = { text: '{"model":', dialect: 'messages', baseVersion: 3 } as const;
const draft: Draft = { ...content, presetId: 'p', userId: 'ann', id: 'd', revision: 7, updatedAt: at };
const etag = presetEtag(draft);
const later = '2026-01-02T00:00:05.000Z';

describe('saving a draft', () => {
  const save = (current: Draft | undefined, changes: object = {}, precondition = {}) =>
    saveDraft({ ...content, ...changes }, precondition)(preset, current, 'ann', later);

  it('the first save starts at revision 1', () => {
    expect(save(undefined)).toEqual({
      ...content,
      presetId: 'p',
      userId: 'ann',
      id: expect.any(String),
      revision: 1,
      updatedAt: later,
    });
  });

  it.each([{ text: '{}' }, { dialect: null }, { baseVersion: 1 }])(
    'saving %j gives the draft a new ETag',
    (changes) => {
      expect(save(draft, changes)).toEqual({ ...draft, ...changes, revision: 8, updatedAt: later });
    },
  );

  it('saving the same content changes nothing', () => {
    expect(save(draft)).toBeUndefined();
  });

  it.each([0, 4])('saving with the base version %i fails, because it does not exist', (baseVersion) => {
    expect(() => save(undefined, { baseVersion })).toThrow(
      expect.objectContaining({ kind: 'not_found', message: expect.stringContaining('versions 1 to 3') }),
    );
  });

  it.each([
    ['a draft that exists', draft, { ifMatch: [etag] }],
    ['one of several ETags', draft, { ifMatch: ['other', etag] }],
    ['any draft', draft, { ifMatch: '*' }],
    ['no draft', undefined, { mustBeNew: true }],
  ] as const)('a precondition on %s holds', (_, current, precondition) => {
    expect(save(current, { text: '' }, precondition)).toMatchObject({ text: '' });
  });

  it.each([
    ['another ETag', draft, { ifMatch: ['d.6'] }, /changed since you read it: its ETag is now "d\.7"/],
    ['a missing draft', undefined, { ifMatch: '*' }, /you have none of this preset/],
    ['a draft that exists', draft, { mustBeNew: true }, /already have a draft/],
  ] as const)('a precondition fails for %s', (_, current, precondition, message) => {
    const failure = { kind: 'precondition_failed', message: expect.stringMatching(message) };
    expect(() => save(current, { text: '' }, precondition)).toThrow(expect.objectContaining(failure));
  });
});

describe('discarding a draft', () => {
  it('discarding deletes the draft, even if the preset is archived', () => {
    expect(discardDraft({})({ ...preset, status: 'archived' }, draft, 'ann', later)).toBeNull();
  });

  it.each([
    ['without a draft', undefined, {}, 'not_found'],
    ['with another ETag', draft, { ifMatch: ['other'] }, 'precondition_failed'],
  ] as const)('discarding fails %s', (_, current, precondition, kind) => {
    expect(() => discardDraft(precondition)(preset, current, 'ann', later)).toThrow(
      expect.objectContaining({ kind }),
    );
  });
});
