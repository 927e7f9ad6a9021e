import { describe, expect, it } from 'vitest';
import { recordings } from '../../test/support/wire/recordings.ts';
import { ResponseIdRewriter } from './response-id-rewriter.ts';

const sign = (id: string) => (id.startsWith('resp_') ? `resp_signed_${id.slice(5)}` : undefined);

const body = (json: string, fields: readonly ('id' | 'previous_response_id')[] = ['id'], known = {}) =>
  new ResponseIdRewriter({ sign, fields, known }).rewriteBody(Buffer.from(json)).toString();

describe('ids of responses', () => {
  it.each([
    ['{"id":"resp_1","output":[]}', '{"id":"resp_signed_1","output":[]}'],
    ['{ "object": "response", "id": "resp_1" }', '{ "object": "response", "id": "resp_signed_1" }'],
    ['{"output":[{"id":"resp_2"}],"id":"resp_1"}', '{"output":[{"id":"resp_2"}],"id":"resp_signed_1"}'],
    [
      '{"id":"resp_1","x":{"response_id":"resp_1"}}',
      '{"id":"resp_signed_1","x":{"response_id":"resp_signed_1"}}',
    ],
    ['{"id":"resp_1","text":"\\"resp_1\\" resp_1"}', '{"id":"resp_signed_1","text":"\\"resp_1\\" resp_1"}'],
    ['{"id":"gen-1"}', '{"id":"gen-1"}'],
    ['{"id":"resp_\\u0031"}', '{"id":"resp_\\u0031"}'],
    ['{"id":null}', '{"id":null}'],
    ['not JSON', 'not JSON'],
  ])('%s becomes %s', (json, expected) => {
    expect(body(json)).toBe(expected);
  });

  it('include that of the previous response, if asked for or known', () => {
    const json = '{"id":"resp_2","previous_response_id":"resp_1"}';
    expect(body(json)).toBe('{"id":"resp_signed_2","previous_response_id":"resp_1"}');
    expect(body(json, ['id', 'previous_response_id'])).toBe(
      '{"id":"resp_signed_2","previous_response_id":"resp_signed_1"}',
    );
    expect(body(json, [], { resp_1: 'resp_known' })).toBe(
      '{"id":"resp_2","previous_response_id":"resp_known"}',
    );
  });

  it('leave a body without them as it is', () => {
    const bytes = Buffer.from('{"data":[]}');
    expect(new ResponseIdRewriter({ sign, fields: ['id'] }).rewriteBody(bytes)).toBe(bytes);
  });

  it('are replaced in every event of a stream, and nothing else is', () => {
    const { stream } = recordings['openai-responses'];
    const [id = ''] = /resp_\w+/.exec(stream.toString()) ?? [];
    const expected = stream.toString().replaceAll(`"${id}"`, `"${sign(id)}"`);
    expect(expected.match(/resp_signed/g)?.length).toBeGreaterThan(2);
    for (const size of [stream.length, 1]) {
      const rewriter = new ResponseIdRewriter({ sign, fields: ['id'] });
      const lines = stream.toString().split(/(?<=\n)/);
      const batches = Array.from({ length: Math.ceil(lines.length / size) }, (_, index) =>
        rewriter.rewriteLines(Buffer.from(lines.slice(index * size, (index + 1) * size).join(''))),
      );
      expect(Buffer.concat(batches).toString()).toBe(expected);
    }
  });

  it.each(['data: {"response":{"id":"resp_1"}}', 'data:{"response":{"id":"resp_1"}}\r\n'])(
    'are found in %j',
    (line) => {
      const rewriter = new ResponseIdRewriter({ sign, fields: ['id'] });
      rewriter.rewriteLines(Buffer.from('event: response.created\n'));
      expect(rewriter.rewriteLines(Buffer.from(line)).toString()).toBe(line.replace('resp_', 'resp_signed_'));
    },
  );
});
