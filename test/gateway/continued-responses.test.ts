import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  compatible,
  type GatewayServer,
  startUpstreams,
  startWithFile,
  upstreamKey,
  writeUpstreamFile,
} from '../support/gateway-server.ts';
import { makeKey, makeWorkspace } from '../support/organizations.ts';
import type { ScriptedUpstream } from '../support/scripted-upstream.ts';
import { apiKey, startServerOn } from '../support/server.ts';
import { storingResponses } from '../support/storing-upstream.ts';
import { body, json, recorded, type Script, stream, upstreamError } from '../support/upstream-scripts.ts';
import { recordingOf } from '../support/wire/recordings.ts';

const upstreamId = 'resp_68af4030592081938ec0';

describe('responses stored by their upstream', () => {
  let first: ScriptedUpstream;
  let second: ScriptedUpstream;
  let chat: ScriptedUpstream;
  let server: GatewayServer;
  beforeAll(async () => {
    [first, second, chat] = (await startUpstreams(3)) as [
      ScriptedUpstream,
      ScriptedUpstream,
      ScriptedUpstream,
    ];
    server = await startWithFile(fileWith(compatible('first', first, responses('first/*', 'shared'))));
  });
  beforeEach(() => {
    for (const upstream of [first, second, chat]) upstream.clear();
    first.respondAlways(storingResponses('a'));
    second.respondAlways(storingResponses('b'));
  });
  afterAll(async () => {
    await Promise.all([first, second, chat].map((upstream) => upstream.stop()));
    await server.stop();
  });

  const responses = (...models: readonly string[]) => ({ dialects: ['responses'], models });
  const fileWith = (...upstreams: readonly object[]) => ({
    upstreams: [
      ...upstreams,
      compatible('second', second, responses('second/*', 'shared')),
      compatible('chat', chat, { dialects: ['chat-completions'], models: ['chat/*'] }),
      {
        ...compatible('stateless', chat, responses('stateless/*')),
        kind: 'openrouter',
        api_key_env: 'OPENROUTER_API_KEY',
      },
    ],
  });
  const respond = (more: object = {}, key = apiKey) =>
    server.post('/api/v1/responses', { model: 'first/m', input: 'Hi', ...more }, { key });
  const signedId = async (more: object = {}, key = apiKey): Promise<string> =>
    (await respond(more, key)).body.id;

  describe('signed ids', () => {
    /** The upstream's ids in a text, by what they were replaced with in another. */
    const replacedIds = (original: string, text: string) => {
      const idsIn = (each: string) => each.match(/"(?:resp|msg|rs|fc)_[\w-]+"/g) ?? [];
      const signed = idsIn(text);
      return new Map(idsIn(original).map((id, index) => [id, signed[index] ?? '']));
    };
    const expectOnlyIdsReplaced = (original: string, text: string) => {
      const replaced = replacedIds(original, text);
      expect(replaced.size).toBeGreaterThan(1);
      let expected = original;
      for (const [id, signed] of replaced) {
        expect(signed).not.toBe(id);
        expect(signed.split('_')[0]).toBe(id.split('_')[0]);
        expected = expected.replaceAll(id, signed);
      }
      expect(text).toBe(expected);
    };

    it("a stored response has signed ids in place of the upstream's, and nothing else changes", async () => {
      first.respondWith(recorded(recordingOf.responses));
      const { status, text, body } = await respond();
      expect([status, body.id]).toEqual([200, expect.stringMatching(/^resp_[\w-]+$/)]);
      expectOnlyIdsReplaced(recordingOf.responses.json.toString(), text);
    });

    it('a stored response has signed ids in every event of its stream, and nothing else changes', async () => {
      first.respondWith(recorded(recordingOf.responses), recorded(recordingOf.responses));
      const { body } = await respond();
      const { text } = await respond({ stream: true });
      expectOnlyIdsReplaced(recordingOf.responses.stream.toString(), text);
      expect(text).toContain(`"${body.id}"`);
    });

    /** Sends a long text with and without its length. */
    const eachWay = async (long: string, check: (text: string) => void) => {
      const chunked: Script = ({ response }) => {
        response.writeHead(200, { 'content-type': 'application/json' }).write(long);
        response.end();
      };
      for (const script of [body(200, 'application/json', long), chunked]) {
        first.respondWith(script);
        check((await respond()).text);
      }
    };

    it('a stored response has signed ids wherever they are in 16 MiB, whole or in an event', async () => {
      const image = 'x'.repeat(1_500_000);
      const long = `{"id": "${upstreamId}", "output": [{"id": "ig_1", "result": "${image}"}, {"id": "msg_1"}]}`;
      const check = (text: string) => {
        const { id, output } = JSON.parse(text);
        expect(id).toMatch(/^resp_[\w-]{30}/);
        expect(output).toEqual([
          { id: expect.stringMatching(/^ig_[\w-]{30}/), result: image },
          { id: expect.stringMatching(/^msg_[\w-]{30}/) },
        ]);
      };
      await eachWay(long, check);
      const start = 'data: {"type":"response.completed","response":';
      first.respondWith(stream(`${start}${long}}\n\n`));
      check((await respond({ stream: true })).text.slice(start.length, -'}\n\n'.length));
    });

    it('a stored response has a signed id even if it is too long to be buffered', async () => {
      const long = `{"id": "${upstreamId}", "output": "${'x'.repeat(17_000_000)}"}`;
      await eachWay(long, (text) => {
        const [, id = ''] = /^\{"id": "(resp_[\w-]+)"/.exec(text) ?? [];
        expect(id).not.toBe('');
        expect(text === long.replace(upstreamId, id)).toBe(true);
      });
    });

    it('a response keeps its id if the request turns storing off', async () => {
      first.respondAlways(recorded(recordingOf.responses));
      expect((await respond({ store: false })).text).toBe(recordingOf.responses.json.toString());
      expect((await respond({ store: false, stream: true })).text).toBe(
        recordingOf.responses.stream.toString(),
      );
    });

    it('a response keeps its id if the upstream stores nothing', async () => {
      server.useConfigFile(fileWith(), { OPENROUTER_API_KEY: upstreamKey });
      const { text } = await respond({ model: 'stateless/m' });
      expect(text).toBe(recordingOf.responses.json.toString());
    });

    it.each(['{"object":"response"}', '{"id":null}', `{"output":[{"content":[{"id":"${upstreamId}"}]}]}`])(
      'a response without an id does not get one: %s',
      async (text) => {
        first.respondWith(body(200, 'application/json', text));
        expect((await respond()).text).toBe(text);
      },
    );
  });

  describe('continuing a response', () => {
    it('a stored response can be continued by its signed id, which the upstream never sees', async () => {
      const id = await signedId();
      const { status, body } = await respond({ previous_response_id: id });
      expect([status, body.output[0].content[0].text]).toEqual([200, 'after resp_a0']);
      expect(first.requests[1]?.body).toEqual({
        model: 'first/m',
        input: 'Hi',
        previous_response_id: 'resp_a0',
      });
      expect(body.previous_response_id).toBe(id);
      expect(body.id).not.toBe(id);
    });

    it('a stored response can be continued by a stream that is not stored', async () => {
      const id = await signedId();
      const { text } = await respond({ previous_response_id: id, stream: true, store: false });
      expect(text).toContain(`"previous_response_id":"${id}"`);
      expect(text).toContain('"id":"resp_a1"');
      expect(text).not.toContain('"resp_a0"');
    });

    it('a stored response can be continued turn after turn', async () => {
      let id = await signedId();
      for (let turn = 0; turn < 3; turn += 1) {
        const { body } = await respond({ previous_response_id: id });
        expect(body.output[0].content[0].text).toBe(`after resp_a${turn}`);
        id = body.id;
      }
    });

    it('a stored response can be continued through another server on the same database', async () => {
      const id = await signedId();
      const file = writeUpstreamFile(fileWith(compatible('first', first, responses('first/*'))));
      const other = await startServerOn(server.database, { PRESETD_CONFIG: file.path });
      file.remove();
      const { body } = await other.post('/api/v1/responses', {
        model: 'first/m',
        input: 'Hi',
        previous_response_id: id,
      });
      await other.stop();
      expect(body.previous_response_id).toBe(id);
    });

    it('a stored response can be continued only at the upstream that stored it', async () => {
      const id = await signedId({ model: 'second/m' });
      const { headers } = await respond({ model: 'shared', previous_response_id: id });
      expect(headers.get('x-presetd-upstream')).toBe('second');
      expect(first.requests).toEqual([]);
    });

    it('a stored response can be continued only with models of its upstream, including fallbacks', async () => {
      const id = await signedId({ model: 'second/m' });
      const wrong = await respond({ previous_response_id: id });
      expect([wrong.status, wrong.body.error.message]).toEqual([
        400,
        expect.stringContaining(
          'it is stored at the upstream "second", which does not serve the model "first/m"',
        ),
      ]);
      second.respondWith(upstreamError(503, 'down'), upstreamError(503, 'down'));
      const models = ['first/m', 'second/n'];
      const failed = await respond({ model: 'second/m', models, previous_response_id: id });
      expect([failed.status, failed.headers.get('x-presetd-dropped-fields')]).toEqual([503, 'models.0']);
      expect(first.requests).toEqual([]);
      expect(second.requests.map(({ body }) => body.model)).toEqual(['second/m', 'second/m', 'second/n']);
    });

    it('a stored response can be continued by calls that count its tokens or compact it', async () => {
      const id = await signedId();
      for (const endpoint of ['input_tokens', 'compact']) {
        first.respondWith(json({ object: endpoint }));
        const path = `/api/v1/responses/${endpoint}`;
        const { status } = await server.post(path, { model: 'first/m', previous_response_id: id });
        expect(status).toBe(200);
        expect(first.requests.at(-1)?.path).toBe(`/v1/responses/${endpoint}`);
        expect(first.requests.at(-1)?.body.previous_response_id).toBe('resp_a0');
      }
    });

    it('a stored response cannot be continued once its upstream has lost it', async () => {
      const id = await signedId();
      first.respondAlways(storingResponses('new'));
      const { status, body } = await respond({ previous_response_id: id });
      expect([status, body.error.message]).toEqual([400, `Previous response with id '${id}' not found.`]);
    });
  });

  describe('rejected continuations', () => {
    const refused = async (id: unknown, key = apiKey) => {
      first.clear();
      const { status, body } = await respond({ previous_response_id: id }, key);
      expect([status, body.error.metadata?.issues]).toEqual([
        400,
        [{ path: '/previous_response_id', message: 'must be the id of a stored response' }],
      ]);
      expect(first.requests).toEqual([]);
      return body.error.message;
    };

    it("a stored response cannot be continued by the upstream's own id", async () => {
      await respond();
      await refused('resp_a0');
    });

    it('a stored response cannot be continued by an id that was changed', async () => {
      const id = await signedId();
      await refused(`${id.slice(0, -1)}${id.endsWith('A') ? 'E' : 'A'}`);
      await refused(`${id}A`);
    });

    it.each([1, {}, ['resp_1'], true, 'resp_', 'msg_1', 'x'.repeat(10_000)])(
      'a stored response cannot be continued by a malformed id: %j',
      async (id) => {
        await refused(id);
      },
    );

    it('a stored response cannot be continued from another workspace', async () => {
      const workspaceId = await makeWorkspace(server, 'elsewhere');
      const { secret } = await makeKey(server, { workspace_id: workspaceId });
      const id = await signedId();
      expect(await refused(id, secret)).toContain('nothing stored for this workspace has this id');
      const theirs = await signedId({}, secret);
      await refused(theirs);
    });

    it('a stored response cannot be continued once its upstream is removed or drops the dialect', async () => {
      const id = await signedId();
      server.useConfigFile(fileWith());
      expect(await refused(id)).toContain('its upstream "first" is no longer configured');
      server.useConfigFile(
        fileWith(compatible('first', first, { dialects: ['chat-completions'], models: ['first/*'] })),
      );
      expect(await refused(id)).toContain('its upstream "first" no longer has the dialect responses');
    });

    it('a translated response cannot be continued', async () => {
      const { body } = await respond({ model: 'chat/m' });
      expect(body.id).toMatch(/^resp_/);
      const { status, body: answer } = await respond({ model: 'chat/m', previous_response_id: body.id });
      expect(status).toBe(400);
      expect(answer.error.message).toContain('Send the whole conversation in "input" instead.');
      expect(chat.requests).toHaveLength(1);
    });
  });

  it.each([null, ''])('a previous_response_id of %j continues nothing', async (previous) => {
    expect((await respond({ previous_response_id: previous })).status).toBe(200);
    expect(first.requests[0]?.body.previous_response_id).toBe(previous);
  });

  it('a dry run shows the id that the upstream would get', async () => {
    const id = await signedId();
    const { body } = await server.post(
      '/api/v1/responses',
      { model: 'first/m', input: 'Hi', previous_response_id: id },
      { headers: { 'x-presetd-dry-run': 'true' } },
    );
    expect(body.data).toMatchObject({ upstream: 'first', body: { previous_response_id: 'resp_a0' } });
  });

  it('an upstream error has no id to sign', async () => {
    first.respondWith(json({ error: { message: 'too hot' } }, 400));
    expect((await respond()).body.error.message).toBe('too hot');
  });
});
