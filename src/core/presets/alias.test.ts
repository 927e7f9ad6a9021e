import { describe, expect, it } from 'vitest';
import { addedNames, aliasesMax, assertAlias } from './alias.ts';
import type { PresetState } from './preset.ts';
import { addAlias, edit, emptyPreset, type PresetRule, removeAlias } from './preset-change.ts';

const at = '2026-01-02T00:00:00.000Z';
const earlier = '2026-01-01T00:00:00.000Z';

function preset(aliases: readonly string[], changes: Partial<PresetState> = {}): PresetState {
  return {
    ...emptyPreset({ organizationId: 'o', workspaceId: 'w', slug: 'mail' }, 'id', 'user', earlier),
    latestVersion: 1,
    designatedNumber: 1,
    revision: 1,
    aliases: new Map(aliases.map((alias) => [alias, { createdAt: earlier }])),
    ...changes,
  };
}

const full = Array.from({ length: aliasesMax }, (_, index) => `alias-${index}`);

describe('rules for the names of a preset', () => {
  it.each<[string, PresetRule, readonly string[], readonly unknown[]]>([
    [
      'adds an alias',
      addAlias('post'),
      ['mail', 'letters', 'post'],
      [['alias_added', null, { alias: 'post' }]],
    ],
    ['removes an alias', removeAlias('letters'), ['mail'], [['alias_removed', { alias: 'letters' }, null]]],
    [
      'keeps the old slug as an alias',
      edit({ slug: 'post' }),
      ['post', 'letters', 'mail'],
      [['slug_changed', { slug: 'mail' }, { slug: 'post' }]],
    ],
    [
      'swaps slug and alias',
      edit({ slug: 'letters' }),
      ['letters', 'mail'],
      [['slug_changed', { slug: 'mail' }, { slug: 'letters' }]],
    ],
    [
      'renames and changes more in one step',
      edit({ slug: 'post', name: 'Post' }),
      ['post', 'letters', 'mail'],
      [
        ['slug_changed', { slug: 'mail' }, { slug: 'post' }],
        ['renamed', { name: 'mail' }, { name: 'Post' }],
      ],
    ],
  ])('a rule %s', (_, rule, names, events) => {
    const change = rule(preset(['letters']), at);
    expect([change?.next.slug, ...(change?.next.aliases.keys() ?? [])]).toEqual(names);
    expect(change?.events.map(({ kind, before, after }) => [kind.slice(7), before, after])).toEqual(events);
    expect(change?.next).toMatchObject({ revision: 1 + events.length, updatedAt: at });
  });

  it.each<[string, PresetRule]>([
    ['an alias that the preset has', addAlias('letters')],
    ['the slug that the preset has', edit({ slug: 'mail' })],
  ])('a rule changes nothing for %s', (_, rule) => {
    expect(rule(preset(['letters']), at)).toBeUndefined();
  });

  it.each<[string, PresetRule, PresetState, string, string]>([
    [
      'its slug as an alias',
      addAlias('mail'),
      preset([]),
      'conflict',
      '"mail" is already the slug of this preset.',
    ],
    [
      'an alias beyond the limit',
      addAlias('more'),
      preset(full),
      'conflict',
      'The preset "mail" already has 20 aliases, the maximum. Remove one first.',
    ],
    [
      'a rename at the limit',
      edit({ slug: 'more' }),
      preset(full),
      'conflict',
      'The preset "mail" already has 20 aliases, the maximum, and its old slug would be another. Remove one first.',
    ],
    [
      'removing an alias that it does not have',
      removeAlias('post'),
      preset(['a', 'b']),
      'not_found',
      'The preset "mail" has no alias "post"; it has a, b.',
    ],
    [
      'removing an alias when it has none',
      removeAlias('post'),
      preset([]),
      'not_found',
      'The preset "mail" has no alias "post"; it has none.',
    ],
    ...[addAlias('post'), removeAlias('letters')].map(
      (rule) =>
        [
          'changes of an archived preset',
          rule,
          preset(['letters'], { status: 'archived' }),
          'conflict',
          'The preset "mail" is archived. Restore it before changing its aliases.',
        ] as [string, PresetRule, PresetState, string, string],
    ),
  ])('a rule refuses %s', (_, rule, current, kind, message) => {
    expect(() => rule(current, at)).toThrow(expect.objectContaining({ kind, message }));
  });

  it('a preset at the limit can be renamed to one of its aliases', () => {
    const change = edit({ slug: 'alias-3' })(preset(full), at);
    expect(change?.next.slug).toBe('alias-3');
    expect(change?.next.aliases.size).toBe(aliasesMax);
  });

  it('an alias has the form of a slug', () => {
    expect(() => assertAlias('pmpt_68a4.f~-')).not.toThrow();
    for (const alias of ['', '.', '..', 'a b', 'ä', 'x'.repeat(129)])
      expect(() => assertAlias(alias)).toThrow(
        expect.objectContaining({
          kind: 'invalid_request',
          issues: [{ path: '/alias', message: expect.stringMatching(/^must be 1 to 128 characters/) }],
        }),
      );
  });

  it('addedNames returns the names that a change adds', () => {
    const renamed = edit({ slug: 'post' })(preset(['letters']), at)?.next ?? expect.fail('no change');
    expect(addedNames(preset(['letters']), renamed)).toEqual(['post']);
    expect(addedNames(undefined, renamed)).toEqual(['letters', 'mail']);
  });
});
