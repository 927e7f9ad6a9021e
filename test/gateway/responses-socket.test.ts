import { once } from 'node:events';
import { request } from 'node:http';
import { connect as connectTcp } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { compatible, type GatewayServer, startUpstreams, startWithFile } from '../support/gateway-server.ts';
import {
  findErrorIssues,
  findResponseIssues,
  findSocketErrorIssues,
  findStreamIssues,
  type ResponseEvent,
} from '../support/open-responses.ts';
import { makeKey } from '../support/organizations.ts';
import { connectResponses, type ResponsesClient } from '../support/responses-socket.ts';
import type { ScriptedUpstream } from '../support/scripted-upstream.ts';
import { apiKey, managementKey, startServerOn } from '../support/server.ts';
import { storingResponses } from '../support/storing-upstream.ts';
import {
  beginStream,
  cut,
  json,
  recorded,
  type Script,
  stall,
  stallAfter,
  stream,
  upstreamError,
} from '../support/upstream-scripts.ts';
import { completionText, recordingOf, recordings } from '../support/wire/recordings.ts';

/**
 * Cases with names like `websocket-…` are those of the Open Responses compliance test, against an
 * upstream that supports only chat completions or only messages.
 */
describe('/responses over a WebSocket', () => {
  let chat: ScriptedUpstream;
  let messages: ScriptedUpstream;
  let storing: ScriptedUpstream;
  let server: GatewayServer;
  const clients: ResponsesClient[] = [];
  beforeAll(async () => {
    [chat, messages, storing] = (await startUpstreams(3)) as [
      ScriptedUpstream,
      ScriptedUpstream,
      ScriptedUpstream,
    ];
    server = await startWithFile(
      {
        upstreams: [
          compatible('chat', chat, { dialects: ['chat-completions'], models: ['chat/*'] }),
          compatible('messages', messages, { dialects: ['messages'], models: ['messages/*'] }),
          compatible('storing', storing, { dialects: ['responses'], models: ['storing/*'] }),
        ],
      },
      { PRESETD_BODY_LIMIT: '65536' },
    );
  });
  beforeEach(() => {
    for (const upstream of [chat, messages, storing]) upstream.clear();
    storing.respondAlways(storingResponses('s'));
  });
  afterEach(async () => {
    await Promise.all(clients.splice(0).map((client) => client.close()));
  });
  afterAll(async () => {
    await server.stop();
    await Promise.all([chat, messages, storing].map((upstream) => upstream.stop()));
  });

  const connect = async (headers?: Readonly<Record<string, string>>) => {
    const client = await connectResponses(server, headers);
    clients.push(client);
    return client;
  };
  const lastOf = (events: readonly ResponseEvent[]) => events.at(-1);
  const errorOf = (events: readonly ResponseEvent[]) => {
    expect(events).toMatchObject([{ type: 'error', error: { message: /./ } }]);
    expect(findSocketErrorIssues(events[0])).toEqual([]);
    return [events[0].status, events[0].error.code];
  };
  const notFound = [400, 'previous_response_not_found'];

  describe.each(['chat', 'messages'] as const)('with an upstream that supports only %s', (name) => {
    const upstream = () => ({ chat, messages })[name];
    const ask = (input: unknown, more: object = {}) => ({ model: `${name}/m`, store: false, input, ...more });

    it('websocket-response: sends the events of a stream', async () => {
      const client = await connect();
      const events = await client.turn({ model: `${name}/m`, input: 'Count from 1 to 3.' });
      expect(findStreamIssues(events)).toEqual([]);
      expect(lastOf(events).response.status).toBe('completed');
      expect(events.map(({ delta = '' }) => delta).join('')).toBe(completionText);
      expect(findResponseIssues(lastOf(events).response)).toEqual([]);
    });

    it('sends text with line separators, which JSON need not escape', async () => {
      const { stream: bytes } = recordings[name === 'chat' ? 'openai-chat' : 'anthropic-messages'];
      upstream().respondWith(stream(bytes.toString().replaceAll('Regen', 'Re\u2028gen\u2029')));
      const events = await (await connect()).turn(ask('Will it rain?'));
      const expected = completionText.replace('Regen', 'Re\u2028gen\u2029');
      expect(events.map(({ delta = '' }) => delta).join('')).toBe(expected);
    });

    it('reports a preset that does not exist as an error of the request', async () => {
      const events = await (await connect()).turn({ model: '@preset/none', input: 'Hi' });
      expect(errorOf(events)).toEqual([404, 'invalid_request']);
    });

    it('websocket-sequential-responses: runs turns one after the other', async () => {
      const client = await connect();
      client.send({ type: 'response.create', ...ask('first') });
      client.send({ type: 'response.create', ...ask('second') });
      for (const turn of ['first', 'second']) {
        const events = await client.events();
        expect(findStreamIssues(events)).toEqual([]);
        expect(JSON.stringify(upstream().requests.map(({ body }) => body))).toContain(turn);
      }
    });

    it('websocket-continuation: continues a response that is not stored', async () => {
      const client = await connect();
      const { response } = lastOf(await client.turn(ask('The code word is cobalt.')));
      const events = await client.turn(ask('What is it?', { previous_response_id: response.id }));
      expect(findStreamIssues(events)).toEqual([]);
      const sent = JSON.stringify(upstream().requests[1]?.body);
      for (const text of ['The code word is cobalt.', completionText, 'What is it?'])
        expect(sent).toContain(text);
      const third = await client.turn(
        ask('And again?', { previous_response_id: lastOf(events).response.id }),
      );
      expect(lastOf(third).type).toBe('response.completed');
      expect(JSON.stringify(upstream().requests[2]?.body)).toContain('The code word is cobalt.');
    });

    it('rejects a field that is spelled in another case', async () => {
      const client = await connect();
      for (const name of ['Model', 'Instructions', 'Previous_response_id']) {
        const events = await client.turn(ask('Hi', { [name]: 'x' }));
        expect(errorOf(events)[0]).toBe(400);
        expect(events[0].error.message).toContain(`/${name} must be spelled "${name.toLowerCase()}"`);
      }
      expect(upstream().requests).toEqual([]);
    });

    it('websocket-reconnect-store-false-recovery: forgets a response with the connection', async () => {
      const { response } = lastOf(await (await connect()).turn(ask('Hi')));
      const client = await connect();
      expect(errorOf(await client.turn(ask('Go on', { previous_response_id: response.id })))).toEqual(
        notFound,
      );
      expect(lastOf(await client.turn(ask('Start again'))).response.status).toBe('completed');
    });

    it('websocket-previous-response-not-found: names an unknown response', async () => {
      const client = await connect();
      const events = await client.turn(ask('Go on', { previous_response_id: 'resp_missing' }));
      expect(errorOf(events)).toEqual(notFound);
      expect(events[0].error.param).toBe('previous_response_id');
      expect(upstream().requests).toEqual([]);
    });

    it('websocket-failed-continuation-evicts-cache: a failed turn ends the conversation', async () => {
      const client = await connect();
      const { response } = lastOf(await client.turn(ask('Hi')));
      const output = { type: 'function_call_output', call_id: 'call_missing', output: 'x' };
      const previous = { previous_response_id: response.id };
      expect(errorOf(await client.turn(ask([output], previous)))).toEqual([400, 'invalid_request']);
      expect(errorOf(await client.turn(ask('Go on', previous)))).toEqual(notFound);
    });

    it('websocket-compact-new-chain: starts with a compacted conversation', async () => {
      const { body } = await server.post('/api/v1/responses/compact', {
        model: `${name}/m`,
        input: [
          { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Remember slate.' }] },
        ],
      });
      const client = await connect();
      const go = { type: 'message', role: 'user', content: 'Continue from here.' };
      const events = await client.turn(ask([...body.output, go], { tools: [] }));
      expect(findStreamIssues(events)).toEqual([]);
      expect(lastOf(events).response.status).toBe('completed');
      expect(JSON.stringify(upstream().requests[1]?.body)).toContain('Continue from here.');
    });

    it('an error of the upstream ends the conversation, but not the connection', async () => {
      const client = await connect();
      const previous = { previous_response_id: lastOf(await client.turn(ask('Hi'))).response.id };
      upstream().respondWith(upstreamError(500, 'down'));
      expect(errorOf(await client.turn(ask('Go on', previous)))).toEqual([500, 'server_error']);
      expect(errorOf(await client.turn(ask('Go on', previous)))).toEqual(notFound);
      expect(lastOf(await client.turn(ask('Start again'))).type).toBe('response.completed');
    });

    it('a tool loop needs only the outputs', async () => {
      const tool = recordings[name === 'chat' ? 'openai-chat-tool' : 'anthropic-messages-tool'];
      upstream().respondWith(recorded(tool));
      const client = await connect();
      const { response } = lastOf(await client.turn(ask('Will it rain?')));
      const call = response.output.find(({ type }: { type: string }) => type === 'function_call');
      const output = { type: 'function_call_output', call_id: call.call_id, output: 'It will.' };
      const events = await client.turn(ask([output], { previous_response_id: response.id }));
      expect(lastOf(events).type).toBe('response.completed');
      const sent = JSON.stringify(upstream().requests[1]?.body);
      for (const text of ['Will it rain?', call.call_id, 'It will.']) expect(sent).toContain(text);
    });

    it('a stream that breaks off is one error', async () => {
      const { stream } = recordingOf[name === 'chat' ? 'chat-completions' : 'messages'];
      upstream().respondWith(cut(stream.subarray(0, stream.length / 2)));
      const client = await connect();
      const events = await client.turn(ask('Hi'));
      expect(['error', 'response.failed']).toContain(lastOf(events).type);
      expect(lastOf(await client.turn(ask('Hi'))).type).toBe('response.completed');
    });
  });

  it('continues a stored response by its id, even on another connection', async () => {
    const { response } = lastOf(await (await connect()).turn({ model: 'storing/m', input: 'Hi' }));
    const client = await connect();
    const events = await client.turn({
      model: 'storing/m',
      input: 'Go on',
      previous_response_id: response.id,
    });
    expect(lastOf(events).response.output[0].content[0].text).toBe('after resp_s0');
    expect(storing.requests[1]?.body.input).toBe('Go on');
  });

  it.each([
    ['an event of 200 KB', 1, 200_000],
    ['many events', 400, 1_000],
  ])('sends %s whole', async (_, count, length) => {
    const delta = 'x'.repeat(length);
    storing.respondWith(streamedDeltas(delta, count));
    const client = await connect();
    const events = await client.turn({ model: 'storing/m', input: 'Hi' });
    expect(lastOf(events).type).toBe('response.completed');
    expect(events.filter((event) => event.delta === delta)).toHaveLength(count);
  });

  it('waits for a client that reads slowly', async () => {
    const count = 400;
    storing.respondWith(streamedDeltas('x'.repeat(50_000), count));
    const client = await connect();
    client.socket.pause();
    client.send({ type: 'response.create', model: 'storing/m', input: 'Hi' });
    const exchange = await storing.nextExchange();
    // The upstream is stuck in the middle, because the client does not read.
    await expect.poll(() => exchange.response.writableNeedDrain).toBe(true);
    client.socket.resume();
    expect(await client.events()).toHaveLength(count + 1);
  });

  it('does not remember a turn that continues a stored response, because what came before is missing', async () => {
    const client = await connect();
    const stored = lastOf(await client.turn({ model: 'storing/m', input: 'Hi' })).response.id;
    const second = { model: 'storing/m', input: 'Go on', store: false, previous_response_id: stored };
    const { id } = lastOf(await client.turn(second)).response;
    const third = await client.turn({ model: 'storing/m', input: 'And?', previous_response_id: id });
    expect(errorOf(third)).toEqual(notFound);
  });

  it('sends numbers digit for digit', async () => {
    const client = await connect();
    client.send('{"type":"response.create","model":"storing/m","input":"Hi","seed":12345678901234567890}');
    await client.events();
    expect(storing.requests[0]?.bytes.toString()).toContain('"seed":12345678901234567890');
  });

  it('a body that is too long for one message is an error', async () => {
    storing.respondWith(json({ id: 'resp_1', output: ['x'.repeat(17_000_000)] }));
    const client = await connect();
    expect(errorOf(await client.turn({ model: 'storing/m', input: 'Hi' }))).toEqual([502, 'server_error']);
    expect(lastOf(await client.turn({ model: 'storing/m', input: 'Hi' })).type).toBe('response.completed');
  });

  it('applies presets', async () => {
    await server.capture('brief', { model: 'chat/m', messages: [{ role: 'system', content: 'Be brief.' }] });
    const client = await connect();
    await client.turn({ model: '@preset/brief', input: 'Hi' });
    expect(JSON.stringify(chat.requests[0]?.body)).toContain('Be brief.');
  });

  it.each([
    ['not JSON', '{'],
    ['no object', '[]'],
    ['ambiguous', '{"type":"response.create","model":"chat/m","model":"chat/n","input":"Hi"}'],
    ['another type', '{"type":"session.update"}'],
    ['a warm-up', '{"type":"response.create","generate":false,"model":"chat/m"}'],
  ])('rejects a message that is %s, and keeps the connection open', async (_, message) => {
    const client = await connect();
    client.send(message);
    expect(errorOf(await client.events())).toEqual([400, 'invalid_request']);
    expect(lastOf(await client.turn({ model: 'chat/m', input: 'Hi' })).type).toBe('response.completed');
  });

  it('reports errors that presetd finds itself', async () => {
    const client = await connect();
    expect(errorOf(await client.turn({ model: 'unknown', input: 'Hi' }))[0]).toBe(400);
    storing.respondWith(json({ error: { message: 'No.', code: 'odd', param: 'input' } }, 422));
    const [event] = await client.turn({ model: 'storing/m', input: 'Hi' });
    expect(event).toEqual({
      type: 'error',
      status: 422,
      error: { type: 'invalid_request', code: 'odd', message: 'No.', param: 'input' },
    });
  });

  it.each([
    ['without a key', {}, 401],
    ['with a wrong key', { authorization: 'Bearer wrong' }, 401],
    ['with a management key', { authorization: `Bearer ${managementKey}` }, 403],
    ['for dry runs', { authorization: `Bearer ${apiKey}`, 'x-presetd-dry-run': 'true' }, 400],
  ])('refuses a connection %s', async (_, headers, status) => {
    await expect(connect(headers)).rejects.toThrow(`Unexpected server response: ${status}`);
  });

  it('refuses a connection with two Host headers', async () => {
    const { port } = new URL(server.url);
    const socket = connectTcp(Number(port), '127.0.0.1');
    const head = ['GET /api/v1/responses HTTP/1.1', 'Host: a', 'Host: b', 'Connection: Upgrade'];
    const more = ['Upgrade: websocket', `Authorization: Bearer ${apiKey}`, '', ''];
    socket.write([...head, ...more].join('\r\n'));
    expect(String(await once(socket, 'data'))).toMatch(
      /^HTTP\/1\.1 400 .*There is more than one Host header/s,
    );
    socket.destroy();
  });

  it('refuses more than 100 connections of a key', async () => {
    const { secret } = await makeKey(server);
    const headers = { authorization: `Bearer ${secret}` };
    await Promise.all(Array.from({ length: 100 }, () => connect(headers)));
    await expect(connect(headers)).rejects.toThrow('Unexpected server response: 429');
    await connect();
    await Promise.all(clients.splice(0).map((client) => client.close()));
    for (let count = 0; count < 100; count += 1)
      await expect.poll(() => connect(headers).then(({ socket }) => socket.readyState)).toBe(1);
  });

  it('counts the connection and each of its turns against the rate limit of the key', async () => {
    const limited = await startWithFile(
      { upstreams: [compatible('chat', chat, { dialects: ['chat-completions'] })] },
      { PRESETD_RATE_LIMIT: '2' },
    );
    const client = await connectResponses(limited);
    const turn = () => client.turn({ model: 'm', input: 'Hi' });
    expect(lastOf(await turn())).toMatchObject({ type: 'response.completed' });
    expect(await turn()).toMatchObject([{ type: 'error', status: 429 }]);
    await client.close();
    await limited.stop();
  });

  it('checks the key again for every turn, and closes the connection if it was revoked', async () => {
    const { secret, id } = await makeKey(server);
    const client = await connect({ authorization: `Bearer ${secret}` });
    let closedWith: number | undefined;
    client.socket.once('close', (code) => {
      closedWith = code;
    });
    await client.turn({ model: 'chat/m', input: 'Hi' });
    await server.send('DELETE', `/api/v1/keys/${id}`, undefined, { key: managementKey });
    await expect
      .poll(async () => lastOf(await client.turn({ model: 'chat/m', input: 'Hi' })).status)
      .toBe(401);
    await expect
      .poll(() => server.log.some((line) => /"POST".*\/responses".*"status":401/.test(line)))
      .toBe(true);
    await expect.poll(() => closedWith).toBe(1008);
  });

  it('cancels the call of a client that disconnects', async () => {
    const { stream } = recordingOf['chat-completions'];
    for (const script of [stall, stallAfter(stream.subarray(0, 300))]) {
      chat.respondWith(script);
      const client = await connect();
      client.send({ type: 'response.create', model: 'chat/m', input: 'Hi' });
      const exchange = await chat.nextExchange();
      client.socket.terminate();
      expect(await exchange.ended).toBe('disconnected');
    }
  });

  it('closes a connection whose message is too long', async () => {
    const client = await connect();
    client.send({ type: 'response.create', model: 'chat/m', input: 'x'.repeat(70_000) });
    expect((await once(client.socket, 'close'))[0]).toBe(1009);
  });

  it('closes a connection with too many waiting messages', async () => {
    chat.respondWith(stall);
    const client = await connect();
    for (let index = 0; index < 12; index += 1)
      client.send({ type: 'response.create', model: 'chat/m', input: 'Hi' });
    expect((await once(client.socket, 'close'))[0]).toBe(1008);
  });

  it('forgets a conversation that is too long to be sent again', async () => {
    const client = await connect();
    const more = { model: 'chat/m', store: false };
    const long = (previous?: string) =>
      client.turn({ ...more, input: 'x'.repeat(40_000), previous_response_id: previous ?? null });
    const first = lastOf(await long()).response.id;
    const second = lastOf(await long(first)).response.id;
    expect(errorOf(await long(second))).toEqual(notFound);
  });

  it('remembers only as much as memory allows, and as much again once connections are closed', async () => {
    for (let round = 0; round < 3; round += 1) {
      const conversations = await Promise.all(
        Array.from({ length: 20 }, async () => {
          const client = await connect();
          const events = await client.turn({ model: 'chat/m', store: false, input: 'x'.repeat(60_000) });
          return { client, id: lastOf(events).response.id };
        }),
      );
      const ends = await Promise.all(
        conversations.map(async ({ client, id }) =>
          lastOf(await client.turn({ model: 'chat/m', store: false, input: 'Hi', previous_response_id: id })),
        ),
      );
      // A process remembers as much as 16 bodies have: 17 of these.
      const { length } = ends.filter(({ type }) => type !== 'error');
      expect(length).toBeGreaterThan(10);
      expect(length).toBeLessThan(20);
      await Promise.all(clients.splice(0).map((client) => client.close()));
    }
  });

  it('logs each turn like a call', async () => {
    const client = await connect();
    await client.turn({ model: 'chat/m', input: 'Hi' });
    await expect
      .poll(() =>
        server.log.some((line) => /"POST".*\/responses".*"status":200.*"upstream":"chat"/.test(line)),
      )
      .toBe(true);
  });

  it.each([
    ['GET', '/api/v1/models', 'h2c', 200],
    ['GET', '/api/v1/models', 'websocket', 200],
    ['POST', '/api/v1/responses', 'h2c', 400],
    ['POST', '/api/v1/responses', 'websocket', 400],
    ['GET', '/api/v1/responses', 'h2c', 426],
  ])('%s %s with an upgrade to %s is served as usual', async (method, path, upgrade, status) => {
    const headers = { authorization: `Bearer ${apiKey}`, connection: 'Upgrade', upgrade };
    const sent = request(server.url + path, {
      method,
      headers: { ...headers, ...(method === 'POST' && { 'content-type': 'application/json' }) },
    });
    sent.end(method === 'POST' ? '{"model":"unknown"}' : undefined);
    const [response] = await once(sent, 'response');
    response.resume();
    expect(response.statusCode).toBe(status);
  });

  it.each([
    ['an API key', apiKey, 426, 'Connect with a WebSocket client, or send the request to POST'],
    ['a management key', managementKey, 403, 'cannot call models'],
    ['no key', null, 401, 'key'],
  ])('a request of %s that does not ask for a WebSocket is an error', async (_, key, status, message) => {
    for (const path of ['/api/v1/responses', '/api/v1/responses/?workspace_id=a&workspace_id=b']) {
      const response = await server.get(path, { key });
      expect([response.status, response.body.error.message]).toEqual([
        status,
        expect.stringContaining(message),
      ]);
      expect(findErrorIssues(response.body)).toEqual([]);
      const upgrade = status === 426 ? 'websocket' : null;
      expect(response.headers.get('upgrade')).toBe(upgrade);
    }
  });

  it('finishes the turn in progress when the server stops', async () => {
    const other = await startServerOn(server.database, {
      PRESETD_UPSTREAM_URL: chat.url,
      OPENROUTER_API_KEY: 'key',
    });
    const idle = await connectResponses(other);
    const busy = await connectResponses(other);
    chat.respondWith(stall);
    busy.send({ type: 'response.create', model: 'm', input: 'Hi' });
    const exchange = await chat.nextExchange();
    const idleClosed = once(idle.socket, 'close');
    const stopped = other.stop();
    expect((await idleClosed)[0]).toBe(1001);
    recorded(recordingOf.responses)(exchange);
    expect(lastOf(await busy.events()).type).toBe('response.completed');
    await stopped;
    await busy.close();
  });
});

/** Streams this many equal deltas, and a response at the end. */
function streamedDeltas(delta: string, count: number): Script {
  return async ({ response }) => {
    beginStream(response);
    const text = `data: ${JSON.stringify({ type: 'response.output_text.delta', delta })}\n\n`;
    for (let sent = 0; sent < count; sent += 1) if (!response.write(text)) await once(response, 'drain');
    const last = { type: 'response.completed', response: { id: 'resp_1', output: [], store: false } };
    response.end(`data: ${JSON.stringify(last)}\n\n`);
  };
}
