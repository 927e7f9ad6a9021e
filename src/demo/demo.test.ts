import { describe, expect, it } from 'vitest';
import { demoCounts, demoWorkspaces } from './demo.ts';
import { importBatches } from './preset-story.ts';

const now = new Date('2026-11-17T08:30:00.000Z');
const presets = demoWorkspaces.flatMap((workspace) =>
  workspace.presets.map((preset) => ({ workspace, preset })),
);

it('the demo is a company of a believable size', () => {
  expect(demoCounts.workspaces).toBe(5);
  expect(demoCounts.people).toBeGreaterThanOrEqual(12);
  expect(demoCounts.presets).toBeGreaterThanOrEqual(40);
  expect(new Set(presets.map(({ preset }) => preset.dialect ?? 'chat-completions')).size).toBe(3);
  expect(new Set(presets.map(({ preset }) => preset.status ?? 'active')).size).toBe(3);
});

describe.each(presets.map((item) => ({ ...item, name: item.preset.slug })))(
  'the demo preset $name',
  ({ workspace, preset }) => {
    const lines = importBatches(preset, now).flatMap((batch) => batch.lines);
    const versions = lines.filter((line) => line.type === 'version');

    it('has 3 to 15 versions in the order of time, none in the future', () => {
      expect(versions.length).toBeGreaterThanOrEqual(3);
      expect(versions.length).toBeLessThanOrEqual(15);
      const times = versions.map((version) => version.created_at);
      expect(times).toEqual(times.toSorted());
      expect(times.at(-1)?.localeCompare(now.toISOString())).toBe(-1);
    });

    it('changes something in every version but the first, which is new', () => {
      const contents = versions.map(({ system_prompt, config, presetd }) =>
        JSON.stringify({ system_prompt, config, ...presetd, note: undefined }),
      );
      for (const [index, content] of contents.entries()) expect(content).not.toBe(contents[index - 1]);
    });

    it('is written by people who belong to the team', () => {
      const authors = importBatches(preset, now).map(({ by }) => by);
      const owners = workspace.keys.map(({ owner }) => owner);
      expect(Object.keys(workspace.team)).toEqual(expect.arrayContaining([...authors, ...owners]));
    });
  },
);
