import { expect, test } from 'vitest';
import { draftName } from './drafts.ts';

const session = (account: string, workspace: string) => ({
  account: { id: account },
  workspace: { id: workspace },
});

test('each person has a draft per workspace and preset', () => {
  const names = [
    draftName(session('ada', 'one'), undefined),
    draftName(session('ada', 'one'), 'support-bot'),
    draftName(session('ada', 'other'), 'support-bot'),
    draftName(session('alan', 'one'), 'support-bot'),
  ];
  expect(new Set(names).size).toBe(names.length);
});
