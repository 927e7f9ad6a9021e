import { describe, expect, it } from 'vitest';
import { dialectStreams } from '../../../test/support/dialect-streams.ts';
import { eventsOf, foldStream } from '../../../test/support/fold-stream.ts';
import { recordings } from '../../../test/support/wire/recordings.ts';
import { findShapeIssues } from '../../../test/support/wire/shapes.ts';
import { dialects } from '../../core/presets/preset.ts';
import type { CompletionContext } from '../model/completion.ts';
import { translateResponse } from './translate-response.ts';
import { createStreamTranslator } from './translate-stream.ts';

const context: CompletionContext = {
  requestId: 'request',
  model: 'requested-model',
  created: 1_790_000_100,
  request: { stream_options: { include_usage: true } },
};

const cases = dialectStreams().flatMap((stream) =>
  dialects.filter((to) => to !== stream.dialect).map((to) => [stream.title, to, stream] as const),
);

describe('a translated response has the keys that the API of its dialect sends', () => {
  it.each(cases)('%s, whole in %s', async (_, to, { dialect, text }) => {
    const whole = await foldStream(dialect, text);
    const { body } = translateResponse(whole, dialect, to, context);
    expect(findShapeIssues(to, 'whole', body)).toEqual([]);
  });

  it.each(cases)('%s, streamed in %s', (_, to, { dialect, text }) => {
    const translated = createStreamTranslator(dialect, to, context).push(Buffer.from(text));
    const issues = eventsOf(translated).flatMap((event) => findShapeIssues(to, 'event', event));
    expect(issues).toEqual([]);
  });

  it.each(dialects)('a response of %s without anything', (to) => {
    for (const from of dialects.filter((dialect) => dialect !== to))
      expect(findShapeIssues(to, 'whole', translateResponse({}, from, to, context).body)).toEqual([]);
  });
});

it.each(dialectStreams().filter(({ title }) => title in recordings))(
  'the shapes allow what the APIs send: $title',
  ({ title, dialect, text }) => {
    const { json } = recordings[title as keyof typeof recordings];
    expect(findShapeIssues(dialect, 'whole', JSON.parse(json.toString('utf8')))).toEqual([]);
    expect(eventsOf(text).flatMap((event) => findShapeIssues(dialect, 'event', event))).toEqual([]);
  },
);
