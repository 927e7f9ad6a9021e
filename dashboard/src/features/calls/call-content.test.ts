import { expect, it } from 'vitest';
import { reasonOf } from './call-content.tsx';

const call = { created_at: '2026-11-01T00:00:00.000Z' };
const settings = { retention_days: 30, sampling_rate: 1 };
const reasonAt = (day: string, changed: object = {}) =>
  reasonOf(call, { ...settings, ...changed }, Date.parse(day));

it('content that is not stored has the reasons that its settings leave', () => {
  expect(reasonOf(call, undefined)).toBe('the content log of this workspace is off.');
  expect(reasonAt('2026-12-15')).toBe('content is deleted after 30 days.');
  expect(reasonAt('2026-11-02')).toBe(
    'the log was off when the call was made, or the request had "store": false.',
  );
  expect(reasonAt('2026-11-02', { sampling_rate: 0.1 })).toBe(
    'the log was off when the call was made, it was not in the sample of 10%, or the request had "store": false.',
  );
});
