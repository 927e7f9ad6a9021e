import { expect, it } from 'vitest';
import type { Call } from './call.ts';
import { createCompactionWriter, expandCompactions } from './compaction.ts';

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
