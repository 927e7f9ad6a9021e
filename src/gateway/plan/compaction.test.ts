import { expect, it, vi } from 'vitest';
import { PresetdError } from '../../core/errors.ts';
import type { Call } from '../call.ts';
import { askForSummary, canCompact, createCompactionWriter, expandCompactions } from './compaction.ts';
import type { AppliedCall } from './resolve-and-apply-preset.ts';
import type { Router } from './router.ts';

const said = { type: 'message', role: 'user', content: 'We launch on Tuesday.' };
const asked = { type: 'message', role: 'user', content: 'Summarize.' };

/** The result of a compaction whose summary is this response. */
function write(response: object) {
  const call = { body: { input: [said, asked] } } as unknown as Call;
  const written = createCompactionWriter(call, undefined).rewriteBody(Buffer.from(JSON.stringify(response)));
  return JSON.parse(written.toString());
}

/** The conversation after it was compacted by this response, and sent again. */
function compact(response: object): unknown {
  const { output } = write(response);
  return expandCompactions({ body: { input: output } } as unknown as Call).body.input;
}

const output = [{ type: 'message', content: [{ type: 'output_text', text: 'Launch: Tue' }] }];

it('a complete summary replaces the conversation', () => {
  expect(compact({ status: 'completed', output })).toEqual([
    {
      type: 'message',
      role: 'user',
      content: expect.stringMatching(/summary of our conversation.*Launch: Tue/s),
    },
  ]);
});

it.each(['incomplete', 'failed', 'in_progress', undefined])(
  'a summary with the status %s does not replace the conversation',
  (status) => {
    expect(compact({ status, output })).toEqual([said]);
  },
);

it('usage that the upstream did not report is named as missing', () => {
  expect(write({ status: 'completed', output })).toMatchObject({
    usage: { total_tokens: 0 },
    presetd: { missing_fields: ['usage'] },
  });
  const usage = { total_tokens: 7 };
  expect(write({ status: 'completed', output, usage })).toMatchObject({ usage });
  expect(write({ status: 'completed', output, usage })).not.toHaveProperty('presetd');
});

it('only the texts of a summary replace the conversation', () => {
  const refused = { type: 'refusal', text: 'No.' };
  const more = { type: 'message', content: [refused, { type: 'output_text', text: ', 9:00' }] };
  expect(JSON.stringify(compact({ status: 'completed', output: [...output, more] }))).toContain(
    'Launch: Tue, 9:00"',
  );
});

it('a compaction has the id and the time of the response that summarizes', () => {
  const { id, created_at, output: items } = write({ id: 'resp_1', created_at: 7, output });
  expect([id, created_at, items[0].id]).toEqual(['resp_1', 7, 'cmp_1']);
});

it('a compaction keeps ids signed, and a body that is not JSON as it is', () => {
  const signer = {
    rewriteBody: (bytes: Buffer) => Buffer.from(bytes.toString().replace('resp_1', 'resp_signed')),
    rewriteLines: (lines: Buffer) => lines,
    rewriteError: (text: string) => text.replace('resp_1', 'resp_signed'),
  };
  const writer = createCompactionWriter({ body: { input: [said, asked] } } as unknown as Call, signer);
  expect(JSON.parse(writer.rewriteBody(Buffer.from('{"id":"resp_1"}')).toString()).id).toBe('resp_signed');
  expect(writer.rewriteError('resp_1 is gone')).toBe('resp_signed is gone');
  expect(writer.rewriteBody(Buffer.from('odd')).toString()).toBe('odd');
});

it('compactions of others stay in a request, and a request without any is the same object', () => {
  const theirs = { type: 'compaction', encrypted_content: 'gAAAA' };
  const call = { body: { input: [theirs, said] } } as unknown as Call;
  expect(expandCompactions(call)).toBe(call);
  const [ours] = write({ status: 'incomplete', output }).output;
  const { body, bytes } = expandCompactions({ body: { model: 'm', input: [theirs, ours] } } as never);
  expect(body).toEqual({ model: 'm', input: [theirs, said] });
  expect(JSON.parse(bytes.toString())).toEqual(body);
});

it.each([
  ['a list', [said], [said]],
  ['a text', said.content, [said]],
  ['nothing', undefined, []],
])('a separate call, which is not stored, asks for a summary of %s', (_, input, items) => {
  const body = { model: 'm', input, store: true, stream: true };
  const call = { relayed: { endpoint: 'responses/compact' }, requestId: 'r' } as unknown as Call;
  const request = askForSummary(call, { body, droppedFields: ['a'] } as unknown as AppliedCall);
  const question = { type: 'message', role: 'user', content: expect.stringMatching(/^Summarize/) };
  const sent = { model: 'm', input: [...items, question], store: false, stream: false };
  expect(request.call).toEqual({ requestId: 'r', body: sent, bytes: expect.any(Buffer) });
  expect(JSON.parse(request.call.bytes.toString())).toEqual(sent);
  expect(request.applied).toMatchObject({ body: sent, droppedFields: ['a'] });
  const { messages } = request.applied.translate('chat-completions').body;
  expect(messages).toHaveLength(items.length + 1);
});

it('a conversation is compacted by upstreams only if all that may get it can', () => {
  const all = { upstream: { dialects: ['chat-completions', 'responses'] } };
  const chat = { upstream: { dialects: ['chat-completions'] } };
  const route = (...candidates: readonly object[]) =>
    vi.fn(() => ({ candidates, droppedFields: [] })) as unknown as Router;
  expect(canCompact({ model: 'm' }, route(all, all))).toBe(true);
  expect(canCompact({ models: ['m'] }, route(all, chat))).toBe(false);
  expect(() => canCompact({}, route(all))).toThrow('names no model');
});

it('whether upstreams can compact a conversation is unknown only because of a defect', () => {
  const failing = (error: Error): Router => {
    return () => {
      throw error;
    };
  };
  expect(canCompact({ model: 'm' }, failing(new PresetdError('invalid_request', 'none')))).toBe(false);
  expect(() => canCompact({ model: 'm' }, failing(new TypeError('defect')))).toThrow('defect');
});
