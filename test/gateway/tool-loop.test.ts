import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ScriptedUpstream, startScriptedUpstream } from '../support/scripted-upstream.ts';
import { playToolLoop } from '../support/tool-loop.ts';

const ask = { role: 'user', content: 'Rain?' };
const tools = [
  { name: 'look', input_schema: {} },
  { name: 'wait', input_schema: {} },
];
const result = (tool_use_id: string, content: string) => ({ type: 'tool_result', tool_use_id, content });

describe('the scripted model that calls tools', () => {
  let upstream: ScriptedUpstream;
  beforeAll(async () => {
    upstream = await startScriptedUpstream();
    upstream.respondAlways(
      playToolLoop({
        calls: [
          { name: 'look', input: { at: 'sky' }, result: 'clouds' },
          { name: 'wait', input: {}, result: 'done' },
        ],
        text: 'Rain.',
      }),
    );
  });
  afterAll(() => upstream.stop());

  const send = async (messages: readonly object[], model = 'model') => {
    const response = await fetch(`${upstream.url}/messages`, {
      method: 'POST',
      body: JSON.stringify({ model, messages, tools }),
    });
    return response.json() as Promise<{ content: { type: string }[]; error?: { message: string } }>;
  };
  const afterCalls = async (results: readonly object[], keep: (type: string) => boolean = () => true) => {
    const { content } = await send([ask]);
    const turn = { role: 'assistant', content: content.filter(({ type }) => keep(type)) };
    return [ask, turn, { role: 'user', content: results }];
  };

  it('answers once it has both results', async () => {
    const { content } = await send(
      await afterCalls([result('call_Zr0', 'clouds'), result('call_Zr1', 'done')]),
    );
    expect(content).toMatchObject([{ type: 'text', text: 'Rain.' }]);
  });

  it.each([
    ['a result is missing', [result('call_Zr0', 'clouds')], 'those of ["call_Zr0"]'],
    ['a result is wrong', [result('call_Zr0', 'sun'), result('call_Zr1', 'done')], 'is "sun"'],
    [
      'a text precedes the results',
      [{ type: 'text', text: 'Go on' }, result('call_Zr0', 'clouds'), result('call_Zr1', 'done')],
      'those of []',
    ],
    [
      'the order has changed',
      [result('call_Zr1', 'done'), result('call_Zr0', 'clouds')],
      'those of ["call_Zr1","call_Zr0"]',
    ],
  ])('refuses to answer if %s', async (_, results, message) => {
    expect((await send(await afterCalls(results))).error?.message).toContain(message);
  });

  it('refuses to answer without its reasoning, unless it is lenient', async () => {
    const results = [result('call_Zr0', 'clouds'), result('call_Zr1', 'done')];
    const messages = await afterCalls(results, (type) => type !== 'redacted_thinking');
    expect((await send(messages)).error?.message).toContain('the reasoning has changed');
    const withoutAny = await afterCalls(results, (type) => type === 'tool_use');
    expect((await send(withoutAny)).error?.message).toContain('the reasoning has changed');
    expect((await send(messages, 'lenient')).error?.message).toContain('the reasoning has changed');
    expect((await send(withoutAny, 'lenient')).content).toMatchObject([{ text: 'Rain.' }]);
  });
});
