import { describe, expect, it } from 'vitest';
import { loadConfig } from './server-config.ts';

const locationOf = (text: string) => loadConfig({ DATABASE_URL: text }).storage.database;

describe('the parameters of a PostgreSQL URL', () => {
  it.each([
    'sslmode=verify-full&sslrootcert=/etc/ca.pem&sslcert=a.pem&sslkey=a.key',
    'sslmode=disable',
    'sslmode=no-verify&application_name=mine',
    'ssl=true',
    'sslmode=verify-full&sslnegotiation=direct',
    'host=/run/postgresql&port=5433&user=u&password=p%40ss',
    'options=-c%20search_path%3Dpresets',
  ])('the PostgreSQL parameters %s are accepted', (query) => {
    const url = `postgres://u@h/n?${query}`;
    expect(locationOf(url)).toEqual({ engine: 'postgres', url });
  });

  it.each([
    'sslmod=verify-full',
    'SSLMODE=require',
    'connect_timeout=3',
    'statement_timeout=0',
    '=x',
    'sslmod',
  ])('parameters that the driver ignores or that override settings of presetd are rejected: %s', (query) => {
    const name = query.split('=')[0];
    expect(() => locationOf(`postgres://u:hush@h/n?sslmode=disable&${query}`)).toThrow(
      `DATABASE_URL has an unknown parameter "${name}". The supported ones are application_name, host, options, password, port, ssl, sslcert, sslkey, sslmode, sslnegotiation, sslrootcert, user`,
    );
  });

  it.each([
    ['sslmode=banana', 'has an invalid sslmode; it must be one of disable, no-verify, '],
    ['sslmode=', 'has an invalid sslmode; it must be one of disable, no-verify, '],
    ['sslmode', 'has an invalid sslmode; it must be one of disable, no-verify, '],
    ['ssl=false', 'has an invalid ssl; it must be one of '],
    ['sslnegotiation=indirect', 'has an invalid sslnegotiation; it must be one of postgres, direct'],
    ['sslrootcert=', 'has the parameter "sslrootcert" without a value'],
    ['sslmode=verify-full&sslmode=disable', 'repeats the parameter "sslmode"'],
  ])('the invalid PostgreSQL parameters %s are rejected', (query, message) => {
    expect(() => locationOf(`postgres://u:hush@h/n?${query}`)).toThrow(`DATABASE_URL ${message}`);
  });

  it.each(['require', 'verify-ca'])('sslmode=%s verifies the certificate and the host name', (mode) => {
    expect(locationOf(`postgres://u:p%40ss@h/n?sslmode=${mode}&sslrootcert=/etc/ca.pem`)).toEqual({
      engine: 'postgres',
      url: 'postgres://u:p%40ss@h/n?sslmode=verify-full&sslrootcert=/etc/ca.pem',
    });
  });

  it.each(['allow', 'prefer'])(
    'sslmode=%s is rejected, because it would let the server decide about TLS',
    (mode) => {
      expect(() => locationOf(`postgres://u@h/n?sslmode=${mode}`)).toThrow(
        'has an invalid sslmode; it must be one of disable, no-verify, require, verify-ca, verify-full',
      );
    },
  );

  it('messages do not repeat parameters that may be part of a password', () => {
    const load = () => locationOf('postgres://u:12?hush&more@h/n');
    expect(load).toThrow('special characters in the password must be percent-encoded');
    expect(load).not.toThrow('hush');
  });
});

it.each([
  ['channel_binding', 'Remove it: the driver cannot enforce it.'],
  ['uselibpqcompat', 'Remove it, and set sslmode to verify-full'],
])('the error for the parameter %s explains what to do', (name, advice) => {
  expect(() => locationOf(`postgres://u@h/n?sslmode=require&${name}=require`)).toThrow(
    `has the parameter "${name}". ${advice}`,
  );
});

it('replacing sslmode leaves the rest of the URL unchanged', () => {
  const url = (mode: string) => `postgres://u:pa%ss@h/n?sslmode=${mode}&sslrootcert=/etc/ca.pem`;
  expect(locationOf(url('require'))).toEqual({ engine: 'postgres', url: url('verify-full') });
});

describe('a PostgreSQL URL with several hosts', () => {
  it.each([
    'postgres://u:hush@a:1,b:2/n',
    'postgres://u:hush@a,b/n',
    'postgresql://a,b:5432/n?sslmode=verify-full',
    'postgres://u:hush@[::1]:5432,[::2]:5432/n',
    'postgres://u:hush@a:1,b:2',
    'postgres://u:hu,sh@a:1,b:2/n',
    'postgres:///n?host=a,b',
  ])('several hosts are rejected with the advice to use a proxy: %s', (text) => {
    const load = () => locationOf(text);
    expect(load).toThrow(
      'DATABASE_URL has several hosts, but presetd connects to one. Use a proxy or a DNS name that points to the primary; see docs/cluster.md',
    );
    expect(load).not.toThrow('hush');
  });

  it('a comma in a password is not a list of hosts', () => {
    const url = 'postgres://u:a,b@h/n';
    expect(locationOf(url)).toEqual({ engine: 'postgres', url });
    for (const text of ['postgres://u:a,b/c@h/n', 'postgres://u:a,b#c@h/n'])
      expect(() => locationOf(text)).toThrow('must be percent-encoded');
  });
});
