import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PresetdError } from '../../src/core/errors.ts';
import { type Draft, type DraftContent, discardDraft, saveDraft } from '../../src/core/presets/draft.ts';
import { archive, edit } from '../../src/core/presets/preset-change.ts';
import type { Storage } from '../../src/core/storage.ts';
import { engines } from '../support/engines.ts';
import { addMember, newMember, removeMemberFrom } from '../support/members.ts';
import { createPresetStorage, owner, type PresetStorage, time } from '../support/preset-storage.ts';

const all = { offset: 0, limit: 100 };

describe.each(engines)('drafts on %s', (engine) => {
  let preset: PresetStorage;
  beforeAll(async () => {
    preset = await createPresetStorage(engine);
  });
  afterAll(() => preset.close());

  const join = (details = {}) =>
    addMember(preset.storage, preset.workspace.organizationId, newMember(details));
  const change = (
    slug: string,
    decide: Parameters<Storage['drafts']['change']>[2],
    userId: string = owner.id,
    storage = preset.storage,
  ) => storage.drafts.change(preset.address(slug), { userId, keyLabel: null }, decide);
  const save = (slug: string, changes: Partial<DraftContent> = {}, userId: string = owner.id, seconds = 1) =>
    change(
      slug,
      (state, current) => {
        if (state === undefined) throw new Error(`no preset ${slug}`);
        const content = { text: '{', dialect: null, baseVersion: 1, ...changes };
        return saveDraft(content, {})(state, current, userId, time(seconds));
      },
      userId,
    );
  const discard = (slug: string, userId?: string) =>
    change(slug, (state, current) => state && discardDraft({})(state, current, '', ''), userId);

  it('a draft is stored, replaced and deleted with its exact text', async () => {
    const { id } = await preset.create('written');
    const text = '{"temperature": 0.10,\n\t"note": "\u2028 é 😀 \\u0000"'.repeat(1_000);
    const first = await save('written', { text, dialect: 'messages' });
    expect(first).toMatchObject({ presetId: id, userId: owner.id, text, revision: 1, updatedAt: time(1) });
    expect(await preset.storage.drafts.find(id, owner.id)).toEqual(first);
    const second = await save('written', { text: '' }, owner.id, 2);
    expect(second).toMatchObject({ id: first?.id, text: '', dialect: null, revision: 2, updatedAt: time(2) });
    expect(await preset.storage.drafts.find(id, owner.id)).toEqual(second);
    expect(await save('written', { text: '' }, owner.id, 3)).toEqual(second);
    expect(await discard('written')).toBeUndefined();
    expect(await preset.storage.drafts.find(id, owner.id)).toBeUndefined();
    expect((await save('written'))?.id).not.toBe(first?.id);
  });

  it('a draft leaves the preset, its events and its revision as they are', async () => {
    await preset.create('kept');
    const [found, state] = [await preset.find('kept'), await preset.state('kept')];
    await save('kept');
    await discard('kept');
    expect([await preset.find('kept'), await preset.state('kept')]).toEqual([found, state]);
    expect(await preset.events('kept')).toHaveLength(1);
  });

  it('each person has a draft of their own, and the list has none of the texts', async () => {
    const { id } = await preset.create('shared');
    const [ben, cleo] = [
      await join({ firstName: 'Ben', lastName: '' }),
      await join({ firstName: '', lastName: '' }),
    ];
    await save('shared', { text: 'by Ada' }, owner.id, 1);
    await save('shared', { text: 'by Ben' }, ben.id, 3);
    await save('shared', { text: 'by Cleo' }, cleo.id, 2);
    await preset.create('shared-not');
    await save('shared-not');
    expect((await preset.storage.drafts.find(id, ben.id))?.text).toBe('by Ben');
    const listed = (userId: string, email: string, name: string | null, seconds: number) => ({
      ...{ userId, email, name, baseVersion: 1, updatedAt: time(seconds) },
    });
    expect(await preset.storage.drafts.list(id, all)).toEqual({
      drafts: [
        listed(ben.id, ben.email, 'Ben', 3),
        listed(cleo.id, cleo.email, null, 2),
        listed(owner.id, owner.email, 'Ada L', 1),
      ],
      totalCount: 3,
    });
    const second = await preset.storage.drafts.list(id, { offset: 1, limit: 1 });
    expect([second.drafts.map(({ userId }) => userId), second.totalCount]).toEqual([[cleo.id], 3]);
    expect(await preset.storage.drafts.list(id, { offset: 3, limit: 1 })).toEqual({
      drafts: [],
      totalCount: 3,
    });
  });

  it('a draft follows its preset to another slug, and can be changed while it is archived', async () => {
    const { id } = await preset.create('before');
    await save('before', { text: 'one' });
    await preset.apply('before', edit({ slug: 'after' }));
    await preset.apply('after', archive);
    expect(await save('before', { text: 'two' })).toMatchObject({ presetId: id, revision: 2 });
    expect(await save('after', { text: 'three' })).toMatchObject({ presetId: id, revision: 3 });
  });

  it('the drafts of a member are deleted with their membership', async () => {
    const { id } = await preset.create('left');
    const leaver = await join();
    await save('left', {}, leaver.id);
    await save('left');
    await removeMemberFrom(preset.storage, preset.workspace.organizationId, leaver.id);
    const { drafts } = await preset.storage.drafts.list(id, all);
    expect(drafts.map(({ userId }) => userId)).toEqual([owner.id]);
    expect(await preset.storage.drafts.find(id, leaver.id)).toBeUndefined();
  });

  it('a preset that does not exist, or is in another workspace, has no drafts', async () => {
    await preset.create('here');
    const elsewhere = { ...(await preset.addWorkspace('another')), slug: 'here' };
    const author = { userId: owner.id, keyLabel: null };
    for (const address of [preset.address('nowhere'), elsewhere]) {
      let seen: readonly unknown[] = [];
      await preset.storage.drafts.change(address, author, (...found) => {
        seen = found;
        return undefined;
      });
      expect(seen).toEqual([undefined, undefined]);
    }
  });

  it('nothing is stored for an actor who lost access, or if the rule throws', async () => {
    const { id } = await preset.create('refused');
    const refusal = new PresetdError('forbidden', 'no');
    const throwRefusal = () => {
      throw refusal;
    };
    await expect(change('refused', throwRefusal)).rejects.toBe(refusal);
    const actor = {
      ...preset.author,
      authorization: { kind: 'key' as const, secretHash: 'x', assertStillAuthorized: throwRefusal },
    };
    const decide = () => expect.fail('must not run');
    await expect(preset.storage.drafts.change(preset.address('refused'), actor, decide)).rejects.toBe(
      refusal,
    );
    expect(await preset.storage.drafts.find(id, owner.id)).toBeUndefined();
  });

  it('only one of several tabs that save at once with the same condition succeeds', async () => {
    const { id } = await preset.create('raced');
    const second = await preset.open();
    const attempt =
      (precondition: { ifMatch?: string[]; mustBeNew?: boolean }) => (text: string, index: number) =>
        change(
          'raced',
          (state, current) =>
            state &&
            saveDraft({ text, dialect: null, baseVersion: 1 }, precondition)(
              state,
              current,
              owner.id,
              time(1),
            ),
          owner.id,
          index % 2 ? preset.storage : second,
        );
    const texts = Array.from({ length: 8 }, (_, index) => `tab ${index}`);
    const won = async (work: readonly Promise<Draft | undefined>[]) =>
      (await Promise.allSettled(work)).flatMap((result) =>
        result.status === 'fulfilled' && result.value !== undefined ? [result.value] : [],
      );
    const [first, ...others] = await won(texts.map(attempt({ mustBeNew: true })));
    expect([first?.revision, others]).toEqual([1, []]);
    const [next, ...more] = await won(
      texts.map((text) => `${text} again`).map(attempt({ ifMatch: [`${first?.id}.1`] })),
    );
    expect([next?.revision, more]).toEqual([2, []]);
    expect(await preset.storage.drafts.find(id, owner.id)).toEqual(next);
  });
});
