import { describe, expect, it } from 'vitest';
import { recordings } from '../../../test/support/wire/recordings.ts';
import { type IdShape, itemShape, ResponseIdRewriter, type RewriterOptions } from './response-id-rewriter.ts';
import type { StoredKind } from './response-ids.ts';

const sign = (id: string, kind: StoredKind) => (/^[\w-]+$/.test(id) ? `${kind}_of_${id}` : undefined);
const shape: IdShape = { id: 'response', output: [itemShape] };

const rewriter = (options: Partial<RewriterOptions> = {}) =>
  new ResponseIdRewriter({ sign, shape, ...options });
const body = (json: string, options?: Partial<RewriterOptions>) =>
  rewriter(options).rewriteBody(Buffer.from(json)).toString();
const event = (json: string, options?: Partial<RewriterOptions>) =>
  rewriter(options)
    .rewriteLines(Buffer.from(`event: x\ndata: ${json}\n\n`))
    .toString()
    .slice('event: x\ndata: '.length, -2);

describe('ids of responses', () => {
  it.each([
    ['{"id":"a","output":[]}', '{"id":"response_of_a","output":[]}'],
    ['{ "object": "response", "id": "a" }', '{ "object": "response", "id": "response_of_a" }'],
    ['{"id":"a","x":{"response_id":"a"}}', '{"id":"response_of_a","x":{"response_id":"response_of_a"}}'],
    ['{"id":"a","text":"\\"a\\" a"}', '{"id":"response_of_a","text":"\\"a\\" a"}'],
    ['{"id":"a b"}', '{"id":"a b"}'],
    ['{"id":"a\\u0031"}', '{"id":"a\\u0031"}'],
    ['{"id":null}', '{"id":null}'],
    ['{"previous_response_id":"a"}', '{"previous_response_id":"a"}'],
    ['not JSON', 'not JSON'],
  ])('%s becomes %s', (json, expected) => {
    expect(body(json)).toBe(expected);
  });

  it('are replaced wherever the client knows another for them', () => {
    const json = '{"id":"b","previous_response_id":"a","x":"a"}';
    const responses = { a: 'known' };
    expect(body(json, { responses })).toBe(
      '{"id":"response_of_b","previous_response_id":"known","x":"known"}',
    );
    expect(body(json, { shape: {}, responses })).toBe(
      '{"id":"b","previous_response_id":"known","x":"known"}',
    );
    expect(event(`{"response":${json}}`, { shape: {}, responses })).toBe(
      '{"response":{"id":"b","previous_response_id":"known","x":"known"}}',
    );
  });

  it('stay those that the client knows, also where they are found', () => {
    expect(body('{"id":"a"}', { responses: { a: 'known' } })).toBe('{"id":"known"}');
  });

  it('leave a body without them as it is', () => {
    const bytes = Buffer.from('{"data":[]}');
    expect(rewriter().rewriteBody(bytes)).toBe(bytes);
    expect(rewriter().rewriteLines(bytes)).toBe(bytes);
  });

  it.each(['data: {"response":{"id":"a"}}', 'data:{"response":{"id":"a"}}\r\n'])(
    'are found in %j',
    (line) => {
      const stream = rewriter();
      stream.rewriteLines(Buffer.from('event: response.created\n'));
      expect(stream.rewriteLines(Buffer.from(line)).toString()).toBe(line.replace('"a"', '"response_of_a"'));
    },
  );

  it('are replaced in later events that have them elsewhere', () => {
    const stream = rewriter();
    stream.rewriteLines(Buffer.from('data: {"response":{"id":"a"}}\n\n'));
    expect(stream.rewriteLines(Buffer.from('data: {"x":"a"}\n\n')).toString()).toBe(
      'data: {"x":"response_of_a"}\n\n',
    );
  });
});

describe('ids of items', () => {
  it.each([
    ['{"output":[{"id":"a"},{"id":"b"}]}', '{"output":[{"id":"item_of_a"},{"id":"item_of_b"}]}'],
    [
      '{"output":[{"type":"mcp_call","id":"a","approval_request_id":"b"}]}',
      '{"output":[{"type":"mcp_call","id":"item_of_a","approval_request_id":"item_of_b"}]}',
    ],
    ['{"output":[{"id":"a b"}]}', '{"output":[{"id":"a b"}]}'],
    ['{"output":[{"id":null,"call_id":"a"}]}', '{"output":[{"id":null,"call_id":"a"}]}'],
    [
      '{"output":[{"id":"a","content":[{"id":"b"}]}]}',
      '{"output":[{"id":"item_of_a","content":[{"id":"b"}]}]}',
    ],
    // Unlike those of responses, they are signed only where they are.
    ['{"output":[{"id":"a","name":"a"}]}', '{"output":[{"id":"item_of_a","name":"a"}]}'],
    ['{"id":"r","output":[{"id":"a"}]}', '{"id":"response_of_r","output":[{"id":"item_of_a"}]}'],
  ])('%s becomes %s', (json, expected) => {
    expect(body(json)).toBe(expected);
    expect(event(`{"response":${json}}`)).toBe(`{"response":${expected}}`);
  });

  it.each([
    ['{"item":{"id":"a"},"output_index":0}', '{"item":{"id":"item_of_a"},"output_index":0}'],
    ['{"item_id":"a","delta":"a"}', '{"item_id":"item_of_a","delta":"a"}'],
    ['{"id":"a"}', '{"id":"a"}'],
  ])('the event %s becomes %s', (json, expected) => {
    expect(event(json)).toBe(expected);
  });

  it('are not signed in responses that are not stored', () => {
    for (const json of ['{"item_id":"a"}', '{"item":{"id":"a"}}', '{"response":{"output":[{"id":"a"}]}}'])
      expect(event(json, { shape: {} })).toBe(json);
  });

  it('are not signed in lines without data', () => {
    const lines = ': on {"item_id":"a"}\nevent:{"item_id":"a"}\n';
    expect(rewriter().rewriteLines(Buffer.from(lines)).toString()).toBe(lines);
  });

  it('are signed once each, and no more than ten thousand of a response', () => {
    const signed: string[] = [];
    const counting = rewriter({
      sign: (id) => {
        signed.push(id);
        return `s${id}`;
      },
    });
    const output = Array.from({ length: 10_001 }, (_, index) => ({ id: `i${index}` }));
    const rewritten = JSON.parse(counting.rewriteBody(Buffer.from(JSON.stringify({ output }))).toString());
    expect(rewritten.output.slice(-2)).toEqual([{ id: 'si9999' }, { id: 'i10000' }]);
    counting.rewriteLines(Buffer.from('data: {"item_id":"i1"}\n\ndata: {"item_id":"i1"}\n\n'));
    expect(signed).toHaveLength(10_000);
  });
});

it('ids are replaced in every event of a stream, and nothing else is', () => {
  const { stream } = recordings['openai-responses'];
  const text = stream.toString();
  const response = /"(resp_\w+)"/.exec(text)?.[1] ?? '';
  const items = new Set([...text.matchAll(/"((?:msg|rs|fc)_\w+)"/g)].map(([, id = '']) => id));
  expect(items.size).toBeGreaterThan(0);
  let expected = text.replaceAll(`"${response}"`, `"response_of_${response}"`);
  for (const id of items) expected = expected.replaceAll(`"${id}"`, `"item_of_${id}"`);
  const lines = text.split(/(?<=\n)/);
  for (const size of [lines.length, 7, 1]) {
    const each = rewriter();
    const batches = Array.from({ length: Math.ceil(lines.length / size) }, (_, index) =>
      each.rewriteLines(Buffer.from(lines.slice(index * size, (index + 1) * size).join(''))),
    );
    expect(Buffer.concat(batches).toString()).toBe(expected);
  }
});

it('errors quote the ids that the client knows', () => {
  const known = { responses: { resp_1: 'R' }, items: { msg_1: 'I' } };
  expect(rewriter(known).rewriteError("No 'resp_1' and no msg_1.")).toBe("No 'R' and no I.");
});

it('an error that quotes an id that begins like another one keeps them apart', () => {
  const items = { msg_a: 'I', msg_ab: 'J', msg_abc: 'msg_a' };
  expect(rewriter({ items }).rewriteError('msg_abc, msg_ab, msg_a')).toBe('msg_a, J, I');
});
