import { expect, it } from 'vitest';
import { localServerUrl } from './health.ts';

it.each([
  [{}, 'http://127.0.0.1:7778'],
  [{ PORT: '8080' }, 'http://127.0.0.1:8080'],
  [{ HOST: '0.0.0.0', PORT: '80' }, 'http://127.0.0.1:80'],
  [{ HOST: '::' }, 'http://[::1]:7778'],
  [{ HOST: 'fd00::7' }, 'http://[fd00::7]:7778'],
  [{ HOST: '10.0.0.11' }, 'http://10.0.0.11:7778'],
  [{ HOST: 'presets.internal' }, 'http://presets.internal:7778'],
])('health finds a server with the settings %j at %s', (environment, url) => {
  expect(localServerUrl(environment)).toBe(url);
});

it('health requires PRESETD_URL if the server chose its port', () => {
  expect(() => localServerUrl({ PORT: '0' })).toThrow('Set PRESETD_URL');
});
