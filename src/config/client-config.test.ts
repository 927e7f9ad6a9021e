import { describe, expect, it } from 'vitest';
import { loadClientConfig } from './client-config.ts';

describe('loadClientConfig', () => {
  it('client commands need no server settings and no key', () => {
    expect(loadClientConfig({ DATABASE_URL: 'nonsense', PORT: 'none' })).toEqual({
      url: 'http://127.0.0.1:7778',
      hasUrl: false,
      apiKey: undefined,
      managementKey: undefined,
      profile: undefined,
    });
  });

  it.each([
    ['http://localhost:7778/', 'http://localhost:7778'],
    ['https://presets.example.com/api/v1', 'https://presets.example.com'],
    ['https://presets.example.com/api/v1/', 'https://presets.example.com'],
    ['https://example.com/presets/api', 'https://example.com/presets'],
    ['https://example.com/presets//', 'https://example.com/presets'],
  ])('PRESETD_URL=%s is accepted', (text, url) => {
    expect(loadClientConfig({ PRESETD_URL: text }).url).toBe(url);
  });

  it.each([
    ['PRESETD_URL', ['localhost:7778', 'ftp://h', 'http://', 'http://u:p@h', 'http://h/?x=1']],
    ['PRESETD_API_KEY', ['two words', 'line\nbreak', 'ümlaut']],
    ['PRESETD_MANAGEMENT_KEY', ['two words', 'line\nbreak', 'ümlaut']],
    ['PRESETD_PROFILE', ['two words', '-x', '../x', '__proto__', 'x'.repeat(101)]],
  ])('%s cannot be any of %j', (name, texts) => {
    for (const text of texts) expect(() => loadClientConfig({ [name]: text })).toThrow(name);
  });

  it.each(['http://u:hush@h', 'ftp://u:hush@h', 'u:hush@h:7778', 'http://u:hush@h:99999', 'http://u:hush@'])(
    'rejects a password in PRESETD_URL without repeating it: %s',
    (text) => {
      const load = () => loadClientConfig({ PRESETD_URL: text });
      expect(load).toThrow('PRESETD_URL must be a URL without user name, password');
      expect(load).not.toThrow('hush');
    },
  );

  it('a message about an invalid key does not contain the key', () => {
    expect(() => loadClientConfig({ PRESETD_API_KEY: 'a secret' })).not.toThrow('a secret');
  });
});
