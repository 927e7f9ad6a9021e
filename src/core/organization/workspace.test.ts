import { expect, it } from 'vitest';
import { isUuid } from './workspace.ts';

const workspaceId = '01942a00-0000-7000-8000-000000000001';

it.each([
  [workspaceId, true],
  [workspaceId.toUpperCase(), true],
  ['default', false],
  [`${workspaceId}0`, false],
  [`{${workspaceId}}`, false],
  [workspaceId.replaceAll('-', ''), false],
  [`${workspaceId}\n`, false],
])('isUuid(%j) is %s', (text, expected) => {
  expect(isUuid(text)).toBe(expected);
});
