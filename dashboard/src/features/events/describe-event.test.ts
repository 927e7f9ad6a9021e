import { expect, test } from 'vitest';
import { eventKinds } from '../../../../src/core/presets/preset-event.ts';
import { describeEvent, textOf as joined } from './describe-event.ts';

const actor_email = 'ann@example.com';

const textOf = (event: Parameters<typeof describeEvent>[0]) => joined(describeEvent(event));

test.each([
  [
    'preset.created',
    null,
    { version: 1, designated_version: 1 },
    'ann@example.com created the preset with version 1',
  ],
  [
    'preset.version_added',
    { designated_version: 1 },
    { version: 3, designated_version: 3 },
    'ann@example.com added version 3 and made it live (was 1)',
  ],
  [
    'preset.version_added',
    { designated_version: 1 },
    { version: 3, designated_version: 1 },
    'ann@example.com added version 3 without making it live',
  ],
  [
    'preset.version_added',
    { designated_version: 1 },
    { version: 3, designated_version: 1, note: 'Shorter' },
    'ann@example.com added version 3 without making it live: “Shorter”',
  ],
  [
    'preset.version_added',
    { designated_version: 1 },
    { version: 3, designated_version: 3, note: 'Shorter' },
    'ann@example.com added version 3 and made it live (was 1): “Shorter”',
  ],
  [
    'preset.created',
    null,
    { version: 1, designated_version: 1, note: 'First' },
    'ann@example.com created the preset with version 1: “First”',
  ],
  [
    'preset.designated',
    { designated_version: 3 },
    { designated_version: 1 },
    'ann@example.com made version 1 live (was 3)',
  ],
  [
    'preset.label_moved',
    { label: 'qa', version: null },
    { label: 'qa', version: 2 },
    'ann@example.com added label qa to version 2',
  ],
  [
    'preset.label_moved',
    { label: 'qa', version: 2 },
    { label: 'qa', version: 4 },
    'ann@example.com moved label qa from version 2 to 4',
  ],
  [
    'preset.label_removed',
    { label: 'qa', version: 4 },
    { label: 'qa', version: null },
    'ann@example.com removed label qa from version 4',
  ],
  ['preset.renamed', { name: 'A' }, { name: 'B' }, 'ann@example.com renamed the preset from “A” to “B”'],
  ['preset.slug_changed', { slug: 'a' }, { slug: 'b' }, 'ann@example.com changed the slug from a to b'],
  ['preset.alias_added', null, { alias: 'a' }, 'ann@example.com added alias a'],
  ['preset.alias_removed', { alias: 'a' }, null, 'ann@example.com removed alias a'],
  ['preset.case_saved', null, { case: 'a' }, 'ann@example.com saved case “a”'],
  ['preset.case_renamed', { case: 'a' }, { case: 'b' }, 'ann@example.com renamed case “a” to “b”'],
  ['preset.case_removed', { case: 'a' }, null, 'ann@example.com removed case “a”'],
  ['preset.tagged', { tags: 'a' }, { tags: 'a, b' }, 'ann@example.com set the tags to a, b'],
  ['preset.tagged', { tags: 'a' }, { tags: null }, 'ann@example.com removed all tags'],
  [
    'preset.described',
    { description: null },
    { description: 'New' },
    'ann@example.com set the description to “New”',
  ],
  [
    'preset.described',
    { description: 'Old' },
    { description: 'New' },
    'ann@example.com changed the description from “Old” to “New”',
  ],
  [
    'preset.described',
    { description: 'Old' },
    { description: null },
    'ann@example.com removed the description “Old”',
  ],
  ['preset.disabled', { status: 'active' }, { status: 'disabled' }, 'ann@example.com disabled the preset'],
  ['preset.enabled', { status: 'disabled' }, { status: 'active' }, 'ann@example.com enabled the preset'],
  ['preset.archived', { status: 'active' }, { status: 'archived' }, 'ann@example.com archived the preset'],
  ['preset.restored', { status: 'archived' }, { status: 'active' }, 'ann@example.com restored the preset'],
  ['preset.imported', { updated_at: 'a' }, { updated_at: 'b' }, 'ann@example.com imported the preset'],
])('the event %s from %j to %j is described', (kind, before, after, sentence) => {
  expect(textOf({ kind, before, after, actor_email })).toBe(sentence);
});

test('every event kind that the server emits is described', () => {
  for (const kind of eventKinds)
    expect(textOf({ kind, before: null, after: null, actor_email })).not.toContain('made a change');
});

test('an unknown event kind is described by its name and values', () => {
  const event = { kind: 'preset.handed_over', before: { owner: 'ann' }, after: { owner: 'bob', at: 3 } };
  expect(textOf({ ...event, actor_email })).toBe(
    'ann@example.com made a change (handed over): owner ann → bob, at none → 3',
  );
});

test('an actor without an email is called "Someone"', () => {
  expect(textOf({ kind: 'preset.enabled', before: null, after: null, actor_email: null })).toBe(
    'Someone enabled the preset',
  );
});

test('a long text in an event is shortened', () => {
  const after = { description: 'x'.repeat(2_000) };
  const event = { kind: 'preset.described', before: { description: null }, after, actor_email };
  expect(textOf(event)).toMatch(/^ann@example.com set the description to “x{159}…”$/);
});

test('versions and people in an event are separate parts, so that they can be links and names', () => {
  const [before, after] = [{ designated_version: 1 }, { version: 3, designated_version: 3 }];
  const parts = describeEvent({ kind: 'preset.version_added', before, after, actor_email });
  expect(parts.filter((part) => typeof part !== 'string')).toEqual([
    { person: 'ann@example.com' },
    { version: 3, text: 'version 3' },
    { version: 1, text: '1' },
  ]);
});
