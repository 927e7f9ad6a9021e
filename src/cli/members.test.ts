import { describe, expect, it } from 'vitest';
import type { Member } from '../api/members.ts';
import type { Person } from '../api/people.ts';
import { renderMember, renderMembers, renderPeople, renderPerson } from './members.ts';
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

const time = '2026-08-01T09:30:00.000Z';
const workspaces = Array.from({ length: 12 }, (_, index) => ({
  ...{ id: `w${index}`, slug: `team-${index}`, name: 'Team', is_default: false, is_content_logged: false },
  role: 'viewer' as const,
}));
const accountOfAnn: Person = {
  ...{ id: 'user_1', email: 'ann@example.com', first_name: 'Ann', last_name: '\u001b[2J', role: 'org:admin' },
  ...{ status: 'active', last_active_at: time, has_password: true, providers: ['okta'] },
  ...{ is_provisioned: true, workspaces },
} as const;
const accountOfBo: Person = {
  ...{ id: 'user_2', email: 'bo@example.com', first_name: '', last_name: '', role: 'org:member' },
  ...{ status: 'invited', last_active_at: null, has_password: false, providers: [] },
  ...{ is_provisioned: false, workspaces: workspaces.slice(0, 1) },
} as const;

it('people are listed with status, roles and last activity', () => {
  expect(renderPeople({ data: [accountOfAnn, accountOfBo], total_count: 2 }, 0)).toBe(
    `
EMAIL            STATUS   ROLE        LAST ACTIVE        WORKSPACES       NAME           ID
ann@example.com  active   org:admin   2026-08-01 09:30Z  all (admin)      Ann \\u001b[2J  user_1
bo@example.com   invited  org:member  never              team-0 (viewer)                 user_2
Showing 1-2 of 2`.trimStart(),
  );
});

describe('renderPerson', () => {
  it('a person is shown without the fields that only an org:admin may read', () => {
    const hidden = { ...accountOfAnn, last_active_at: null, has_password: null, providers: null };
    expect(renderPerson(hidden, noPaint)).not.toMatch(/last active|signs in with/);
  });

  it('a person is shown with how they sign in', () => {
    expect(renderPerson(accountOfAnn, noPaint)).toBe(`ann@example.com
name           Ann \\u001b[2J
status         active
role           org:admin
workspaces     all (admin)
last active    2026-08-01 09:30Z
signs in with  password, okta
managed by     SCIM
id             user_1`);
  });

  it('a person without a password signs in with links', () => {
    expect(renderPerson(accountOfBo, noPaint)).toMatch(
      /\nlast active +never\nsigns in with +one-time links\nid /,
    );
  });

  it('a long list of workspaces is cut', () => {
    expect(renderPerson({ ...accountOfBo, workspaces }, noPaint)).toContain('team-9 (viewer) and 2 more\n');
  });
});
