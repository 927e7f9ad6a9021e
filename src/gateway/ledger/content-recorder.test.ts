import { beforeEach, describe, expect, it } from 'vitest';
import { ContentMemory } from '../../core/content-log/content-memory.ts';
import { ContentRecorder, type RecordedKind } from './content-recorder.ts';

const context = { requestId: 'r-1', model: 'm', created: 1, request: {} };

function chunk(content: string): Buffer {
  const choices = [{ index: 0, delta: { content }, finish_reason: null }];
  return Buffer.from(`data: ${JSON.stringify({ id: 'c', created: 1, model: 'm', choices })}\n\n`);
}

describe('the recorder of content', () => {
  let dropped: number;
  let memory: ContentMemory;
  beforeEach(() => {
    dropped = 0;
    memory = new ContentMemory(10_000, (count) => {
      dropped += count;
    });
  });
  const create = (kind: RecordedKind = 'chat-completions', bytesMax = 100_000) =>
    new ContentRecorder(kind, bytesMax, memory.createShare());

  it('streams in flight share the memory, and one that does not fit is dropped and counted', () => {
    const [one, other] = [create(), create()];
    one.addLines(chunk('x'.repeat(6_000)));
    expect(memory.bytes).toBeGreaterThan(6_000);
    other.addLines(chunk('y'.repeat(6_000)));
    expect([one.isDropped, other.isDropped, dropped]).toEqual([false, true, 1]);
    expect(memory.bytes).toBeLessThan(7_000);
    other.addLines(chunk('later'));
    other.setBody('later');
    expect([dropped, other.finish(context, 0)]).toEqual([1, { response: null, isWhole: true }]);
    one.addLines(chunk('z'));
    expect(JSON.stringify(one.finish(context, 0).response)).toContain('xxz');
  });

  it('the memory of a released stream can be used again', () => {
    const first = create();
    first.addLines(chunk('x'.repeat(6_000)));
    first.share.release();
    expect(memory.bytes).toBe(0);
    const next = create();
    next.addLines(chunk('y'.repeat(6_000)));
    expect([next.isDropped, dropped]).toEqual([false, 0]);
  });

  it('a body counts with its length', () => {
    const recorder = create('other');
    recorder.setBody(Buffer.alloc(9_000));
    expect(memory.bytes).toBe(9_000);
    recorder.setBody(Buffer.alloc(100));
    expect(memory.bytes).toBe(100);
    recorder.setBody(Buffer.alloc(20_000));
    expect([recorder.isDropped, memory.bytes, dropped]).toEqual([true, 0, 1]);
  });

  it('events count only if they are kept', () => {
    const recorder = create('other', 200);
    for (let index = 0; index < 100; index += 1) recorder.addLines(Buffer.from('data: {"text":"word"}\n\n'));
    expect(memory.bytes).toBeGreaterThan(100);
    expect(memory.bytes).toBeLessThanOrEqual(200);
    expect(recorder.finish(context, 0)).toMatchObject({ response: { bytes: memory.bytes }, isWhole: false });
  });
});
