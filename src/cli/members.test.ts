import { expect, it } from 'vitest';
import type { Member } from '../api/members.ts';
import { renderMember, renderMembers } from './members.ts';
import { noPaint } from './ui/output.ts';

const ann: Member = {
  id: 'user_1',
  email: 'ann@example.com',
  first_name: 'Ann',
  last_name: '',
  role: 'org:admin',
};
const bo = { ...ann, id: 'user_2', email: 'bo@example.com', first_name: 'Bo\u001b', last_name: '李' };

it('the member list shows address, role, name and ID', () => {
  expect(renderMembers({ data: [ann, bo], total_count: 2 }, 0)).toBe(
    `
EMAIL            ROLE       NAME         ID
ann@example.com  org:admin  Ann          user_1
bo@example.com   org:admin  Bo\\u001b 李  user_2
Showing 1-2 of 2`.trimStart(),
  );
});

it('a member is shown with name, role and ID', () => {
  expect(renderMember(ann, noPaint)).toBe('ann@example.com\nname  Ann\nrole  org:admin\nid    user_1');
});
