import { expect, test } from 'vitest';
import { capitalize } from '../../components/text.ts';
import { signInMethods } from './people-page.tsx';

test.each([
  [false, [], false, '–'],
  [true, [], false, 'Password'],
  [true, ['okta'], false, 'Password, Okta'],
  [false, ['okta'], true, 'Okta, managed by SCIM'],
])(
  'password %s, providers %j and SCIM %s are shown as "%s"',
  (has_password, providers, is_provisioned, text) => {
    expect(signInMethods({ has_password, providers, is_provisioned }, capitalize)).toBe(text);
  },
);
