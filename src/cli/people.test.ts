import { describe, expect, it } from 'vitest';
import type { Session } from '../api/account.ts';
import type { Person } from '../api/people.ts';
import { renderPeople, renderPerson, renderSessions } from './people.ts';
import { noPaint } from './ui/output.ts';

const time = '2026-08-01T09:30:00.000Z';
const workspaces = Array.from({ length: 12 }, (_, index) => ({
  ...{ id: `w${index}`, slug: `team-${index}`, name: 'Team', is_default: false },
  role: 'viewer' as const,
}));
const ann: Person = {
  ...{ id: 'user_1', email: 'ann@example.com', first_name: 'Ann', last_name: '\u001b[2J', role: 'org:admin' },
  ...{ status: 'active', last_active_at: time, has_password: true, providers: ['okta'] },
  ...{ is_provisioned: true, workspaces },
} as const;
const bo: Person = {
  ...{ id: 'user_2', email: 'bo@example.com', first_name: '', last_name: '', role: 'org:member' },
  ...{ status: 'invited', last_active_at: null, has_password: false, providers: [] },
  ...{ is_provisioned: false, workspaces: workspaces.slice(0, 1) },
} as const;

it('people are listed with status, roles and last activity', () => {
  expect(renderPeople({ data: [ann, bo], total_count: 2 }, 0)).toBe(
    `
EMAIL            STATUS   ROLE        LAST ACTIVE        WORKSPACES       NAME           ID
ann@example.com  active   org:admin   2026-08-01 09:30Z  all (admin)      Ann \\u001b[2J  user_1
bo@example.com   invited  org:member  never              team-0 (viewer)                 user_2
Showing 1-2 of 2`.trimStart(),
  );
});

describe('renderPerson', () => {
  it('a person is shown without what only an org:admin may know', () => {
    const hidden = { ...ann, last_active_at: null, has_password: null, providers: null };
    expect(renderPerson(hidden, noPaint)).not.toMatch(/last active|signs in with/);
  });

  it('a person is shown with how they sign in', () => {
    expect(renderPerson(ann, noPaint)).toBe(`ann@example.com
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
    expect(renderPerson(bo, noPaint)).toMatch(/\nlast active +never\nsigns in with +one-time links\nid /);
  });

  it('a long list of workspaces is cut', () => {
    expect(renderPerson({ ...bo, workspaces }, noPaint)).toContain('team-9 (viewer) and 2 more\n');
  });
});

describe('renderSessions', () => {
  it('sessions are listed with where they were used', () => {
    const session: Session = {
      ...{
        id: 's1',
        label: 'session s1',
        method: 'password',
        address: '10.0.0.1',
        user_agent: 'x'.repeat(99),
      },
      ...{ created_at: time, last_used_at: time, expires_at: time, is_current: false },
    };
    expect(renderSessions([session])).toBe(
      `
ID  METHOD    ADDRESS   LAST USED          EXPIRES            BROWSER
s1  password  10.0.0.1  2026-08-01 09:30Z  2026-08-01 09:30Z  ${'x'.repeat(59)}…`.trimStart(),
    );
  });

  it('a person without sessions is signed in nowhere', () => {
    expect(renderSessions([])).toBe('Not signed in anywhere.');
  });
});
