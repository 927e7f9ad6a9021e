import { expect, it } from 'vitest';
import { dialects } from '../../core/presets/preset.ts';
import { conceptParsers as chatCompletions } from '../chat-completions/parse-concepts.ts';
import { conceptParsers as messages } from '../messages/parse-concepts.ts';
import { conceptParsers as responses } from '../responses/parse-concepts.ts';
import { fieldConcepts } from './field-concepts.ts';

const parsers = { 'chat-completions': chatCompletions, messages, responses };

/** It has the same name in every dialect that has it, so that a lock on it needs no counterparts. */
const shared = ['modalities'];

it.each(dialects)('every field of %s that is translated lists what it expresses', (dialect) => {
  const listed = new Set(fieldConcepts[dialect].map(([[field]]) => field));
  const missing = Object.keys(parsers[dialect]).filter(
    (field) => !listed.has(field) && !shared.includes(field),
  );
  expect(missing).toEqual([]);
});
