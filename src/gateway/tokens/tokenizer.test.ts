import { Worker } from 'node:worker_threads';
import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { Tokenizer } from './tokenizer.ts';

describe('the tokenizer', () => {
  // A busy machine takes seconds to start a thread.
  const tokenizer = new Tokenizer(60_000);
  afterAll(() => tokenizer.close());

  it.each([
    ['', 0],
    ['Hello, world!', 4],
    ['Grüezi', 3],
    ['<|endoftext|>', 7],
    ['\ud800', 1],
  ])('counts the tokens of %j', async (text, tokens) => {
    expect(await tokenizer.count(text)).toBe(tokens);
  });

  it('counts several texts at once', async () => {
    const texts = ['one', 'one two', 'one two three'];
    expect(await Promise.all(texts.map((text) => tokenizer.count(text)))).toEqual([1, 2, 3]);
  });

  it('cuts text without words into pieces, because it would take hours', async () => {
    expect(await tokenizer.count('a'.repeat(1_000_000))).toBe(125_000);
  });

  it('estimates by length if it has no time to count', async () => {
    const hurried = new Tokenizer(1);
    expect(await hurried.count('one two three')).toBe(4);
    hurried.close();
  });

  it('estimates by length if too many texts wait, or its thread ends', async () => {
    const counts = Promise.all(Array.from({ length: 65 }, () => tokenizer.count('one two three')));
    expect(new Set(await counts)).toEqual(new Set([3, 4]));
    const unfinished = tokenizer.count('one two three');
    tokenizer.close();
    expect(await unfinished).toBe(4);
    expect(await tokenizer.count('one two three')).toBe(3);
  });

  it('counts a text after one that took too long', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const slow = new Tokenizer(1_000);
    const late = slow.count('one two three');
    vi.advanceTimersByTime(1_000);
    expect(await late).toBe(4);
    expect(await slow.count('one')).toBe(1);
    slow.close();
  });

  it('estimates by length if its thread fails, and starts another', async () => {
    const post = vi.spyOn(Worker.prototype, 'postMessage').mockImplementationOnce(function (this: Worker) {
      this.emit('error', new Error('out of memory'));
    });
    onTestFinished(() => post.mockRestore());
    expect(await tokenizer.count('one two three')).toBe(4);
    expect(await tokenizer.count('one two three')).toBe(3);
  });

  it('ends its thread after a minute without texts, and not while it counts', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const terminate = vi.spyOn(Worker.prototype, 'terminate');
    onTestFinished(() => {
      vi.useRealTimers();
      terminate.mockRestore();
    });
    const rare = new Tokenizer(600_000);
    await Promise.all([rare.count('one'), rare.count('one')]);
    vi.advanceTimersByTime(59_999);
    const counting = rare.count('one two three');
    vi.advanceTimersByTime(60_000);
    expect(await counting).toBe(3);
    vi.advanceTimersByTime(59_999);
    expect(terminate).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(terminate).toHaveBeenCalledOnce();
    expect(await rare.count('one two')).toBe(2);
    rare.close();
  });
});
