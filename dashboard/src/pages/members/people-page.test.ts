import { expect, test } from 'vitest';
import { signInMethods } from './people-page.tsx';

test.each([
  [false, [], false, '–'],
  [true, [], false, 'Password'],
  [true, ['okta'], false, 'Password, okta'],
  [false, ['okta'], true, 'okta, managed by SCIM'],
])(
  'password %s, providers %j and SCIM %s are shown as "%s"',
  (has_password, providers, is_provisioned, text) => {
    expect(signInMethods({ has_password, providers, is_provisioned })).toBe(text);
  },
);
