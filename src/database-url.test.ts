import { describe, expect, it } from 'vitest';
import { loadConfig } from './config.ts';

const locationOf = (text: string) => loadConfig({ DATABASE_URL: text }).storage.database;

describe('the parameters of a URL of PostgreSQL', () => {
  it.each([
    'sslmode=verify-full&sslrootcert=/etc/ca.pem&sslcert=a.pem&sslkey=a.key',
    'sslmode=disable',
    'sslmode=no-verify&application_name=mine',
    'ssl=true',
    'sslmode=verify-full&sslnegotiation=direct',
    'host=/run/postgresql&port=5433&user=u&password=p%40ss',
    'options=-c%20search_path%3Dpresets',
  ])('may be %s', (query) => {
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
  ])('are refused where the driver would ignore them, or they would undo what presetd sets: %s', (query) => {
    const name = query.split('=')[0];
    expect(() => locationOf(`postgres://u:hush@h/n?sslmode=disable&${query}`)).toThrow(
      `DATABASE_URL has the parameter "${name}", which presetd does not know. It knows application_name, host, options, password, port, ssl, sslcert, sslkey, sslmode, sslnegotiation, sslrootcert, user`,
    );
  });

  it.each([
    ['sslmode=banana', 'has a wrong sslmode, which must be one of disable, no-verify, '],
    ['sslmode=', 'has a wrong sslmode, which must be one of disable, no-verify, '],
    ['sslmode', 'has a wrong sslmode, which must be one of disable, no-verify, '],
    ['ssl=false', 'has a wrong ssl, which must be one of '],
    ['sslnegotiation=indirect', 'has a wrong sslnegotiation, which must be one of postgres, direct'],
    ['sslrootcert=', 'has the parameter "sslrootcert" without a value'],
    ['sslmode=verify-full&sslmode=disable', 'has the parameter "sslmode" twice'],
  ])('are refused with what is wrong in them: %s', (query, message) => {
    expect(() => locationOf(`postgres://u:hush@h/n?${query}`)).toThrow(`DATABASE_URL ${message}`);
  });

  it.each(['require', 'verify-ca'])(
    'check the certificate and the name of the server with sslmode=%s',
    (mode) => {
      expect(locationOf(`postgres://u:p%40ss@h/n?sslmode=${mode}&sslrootcert=/etc/ca.pem`)).toEqual({
        engine: 'postgres',
        url: 'postgres://u:p%40ss@h/n?sslmode=verify-full&sslrootcert=/etc/ca.pem',
      });
    },
  );

  it.each(['allow', 'prefer'])('do not leave it to the server whether there is TLS: sslmode=%s', (mode) => {
    expect(() => locationOf(`postgres://u@h/n?sslmode=${mode}`)).toThrow(
      'has a wrong sslmode, which must be one of disable, no-verify, require, verify-ca, verify-full',
    );
  });

  it('are not repeated where they may be the rest of a password', () => {
    const load = () => locationOf('postgres://u:12?hush&more@h/n');
    expect(load).toThrow('a password with special characters must be percent-encoded');
    expect(load).not.toThrow('hush');
  });
});

it.each([
  ['channel_binding', 'Take it out: the driver cannot require it.'],
  ['uselibpqcompat', 'Take it out, and set sslmode to no-verify'],
])('says what to do with %s', (name, advice) => {
  expect(() => locationOf(`postgres://u@h/n?sslmode=require&${name}=require`)).toThrow(
    `has the parameter "${name}". ${advice}`,
  );
});

it('leaves the rest of a URL as it was written', () => {
  const url = (mode: string) => `postgres://u:pa%ss@h/n?sslmode=${mode}&sslrootcert=/etc/ca.pem`;
  expect(locationOf(url('require'))).toEqual({ engine: 'postgres', url: url('verify-full') });
});

describe('several hosts', () => {
  it.each([
    'postgres://u:hush@a:1,b:2/n',
    'postgres://u:hush@a,b/n',
    'postgresql://a,b:5432/n?sslmode=verify-full',
    'postgres://u:hush@[::1]:5432,[::2]:5432/n',
    'postgres://u:hush@a:1,b:2',
    'postgres://u:hu,sh@a:1,b:2/n',
    'postgres:///n?host=a,b',
  ])('are refused, with what to do instead: %s', (text) => {
    const load = () => locationOf(text);
    expect(load).toThrow(
      'DATABASE_URL names several hosts, and presetd takes one. Name a proxy, or a DNS name, that leads to the primary; docs/cluster.md has more',
    );
    expect(load).not.toThrow('hush');
  });

  it('are not found in a password', () => {
    const url = 'postgres://u:a,b@h/n';
    expect(locationOf(url)).toEqual({ engine: 'postgres', url });
    for (const text of ['postgres://u:a,b/c@h/n', 'postgres://u:a,b#c@h/n'])
      expect(() => locationOf(text)).toThrow('must be percent-encoded');
  });
});
