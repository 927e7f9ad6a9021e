import { expect, it } from 'vitest';
import { BlockSequencer } from './block-sequencer.ts';
import type { StreamEvent } from './stream-events.ts';

const delta = (text: string): StreamEvent => ({ type: 'delta', text });

it('the events of the first open slot are passed on at once', () => {
  const sequencer = new BlockSequencer();
  const slot = sequencer.open();
  sequencer.add(slot, delta('a'));
  expect(sequencer.take()).toEqual([delta('a')]);
  expect(sequencer.take()).toEqual([]);
});

it('later slots are held back until those before them are closed', () => {
  const sequencer = new BlockSequencer();
  const [first, second, third] = [sequencer.open(), sequencer.open(), sequencer.open()];
  sequencer.add(third, delta('e'));
  sequencer.add(second, delta('b'));
  sequencer.add(second, delta('c'));
  sequencer.add(first, delta('a'));
  sequencer.close(second);
  expect(sequencer.take()).toEqual([delta('a')]);
  sequencer.close(first);
  expect(sequencer.take()).toEqual([delta('bc'), delta('e')]);
  sequencer.add(third, delta('f'));
  expect(sequencer.take()).toEqual([delta('f')]);
});

it('only a limited amount of text is held back', () => {
  const sequencer = new BlockSequencer();
  const [first, second] = [sequencer.open(), sequencer.open()];
  const piece = 'a'.repeat(8 * 1_048_576);
  for (const slot of [first, first, first, second, second]) sequencer.add(slot, delta(piece));
  expect(() => sequencer.add(second, delta('a'))).toThrow('too long to be translated');
});
