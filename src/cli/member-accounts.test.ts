import { describe, expect, it } from 'vitest';
import type { Session } from '../api/account.ts';
import { renderSessions } from './member-accounts.ts';

const time = '2026-08-01T09:30:00.000Z';

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
      ...{ created_at: time, last_used_at: '2026-08-02T10:40:00.000Z' },
      ...{ expires_at: '2026-08-09T09:30:00.000Z', is_current: false },
    };
    expect(renderSessions([session])).toBe(
      `
ID  METHOD    ADDRESS   LAST USED          EXPIRES            BROWSER
s1  password  10.0.0.1  2026-08-02 10:40Z  2026-08-09 09:30Z  ${'x'.repeat(99)}`.trimStart(),
    );
  });

  it('a person without sessions is signed in nowhere', () => {
    expect(renderSessions([])).toBe('Not signed in anywhere.');
  });
});
