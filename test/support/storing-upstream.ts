import { beginStream, type Exchange, json, type Script } from './upstream-scripts.ts';

type Json = Readonly<Record<string, unknown>>;

/** A response as an upstream stores it. */
type Stored = Json & { readonly id: string; readonly input: unknown };

/**
 * A script for an upstream that stores responses as OpenAI does: they can be created, continued,
 * retrieved, also as a stream, canceled and deleted, and requests can refer to their items. Its ids
 * start with the prefix of their type and the name.
 *
 * `seen` of a response says what the upstream read. It is as trusting as an upstream can be:
 * whatever an item of the input says, something that is stored under its id is used instead.
 */
export function storingResponses(name: string): Script {
  const stored = new Map<string, Stored>();
  const items = new Map<string, Json>();

  function create({ request, response: client }: Exchange): Script {
    const { input, model, store = true, background, previous_response_id: previous = null } = request.body;
    if (previous && !stored.has(previous))
      return json({ error: { message: `Previous response with id '${previous}' not found.` } }, 400);
    const missing = missingItem(input);
    if (missing !== undefined)
      return json({ error: { message: `Item with id '${missing}' not found.`, param: 'input' } }, 404);
    const number = stored.size;
    const id = `resp_${name}${number}`;
    const reasoning = { type: 'reasoning', id: `rs_${name}${number}`, summary: [] };
    const message = {
      type: 'message',
      id: `msg_${name}${number}`,
      role: 'assistant',
      status: 'completed',
      content: [{ type: 'output_text', text: `after ${previous}`, annotations: [] }],
    };
    const output = request.body.reasoning ? [reasoning, message] : [message];
    const response = {
      id,
      object: 'response',
      created_at: 1_760_000_000,
      status: background === true ? 'queued' : 'completed',
      model,
      output,
      previous_response_id: previous,
      store,
      seen: seenIn(input),
      usage,
    };
    stored.set(id, { ...response, input });
    for (const item of output) items.set(item.id, { ...item, secret: `the secret of ${item.id}` });
    if (request.body.stream !== true) return json(response);
    return () => streamEvents(client, response);
  }

  /** The id of the first item that is not stored, although nothing else says what it is. */
  function missingItem(input: unknown): string | undefined {
    const missing = itemsOf(input).find(
      ({ id, type, content, encrypted_content: encrypted }) =>
        (type === 'item_reference' || (type === 'reasoning' && !content && !encrypted)) &&
        !items.has(String(id)),
    );
    return missing && String(missing.id);
  }

  function seenIn(input: unknown): readonly unknown[] {
    return itemsOf(input).map((item) => items.get(String(item.id))?.secret ?? item.content ?? item.type);
  }

  return (exchange) => {
    const { method, path, body } = exchange.request;
    const url = new URL(path, 'http://upstream');
    const [, id, action] = /\/responses(?:\/([^/]+)(?:\/(\w+))?)?$/.exec(url.pathname) ?? [];
    if (method === 'POST' && id === undefined) return create(exchange)(exchange);
    if (id === 'input_tokens' || id === 'compact') return json({ object: id })(exchange);
    const response = stored.get(id ?? '');
    if (response === undefined)
      return json({ error: { message: `Response with id '${id}' not found.` } }, 404)(exchange);
    const { input, ...visible } = response;
    if (method === 'DELETE') {
      stored.delete(response.id);
      return json({ id: response.id, object: 'response', deleted: true })(exchange);
    }
    if (action === 'cancel') {
      stored.set(response.id, { ...response, status: 'cancelled' });
      return json({ ...visible, status: 'cancelled', body })(exchange);
    }
    if (action === 'input_items') return listInput(input, url.searchParams.get('after'))(exchange);
    if (url.searchParams.get('stream') === 'true')
      return streamEvents(exchange.response, visible, Number(url.searchParams.get('starting_after') ?? -1));
    return json(visible)(exchange);
  };

  /** One item per page. */
  function listInput(input: unknown, after: string | null): Script {
    const contents = typeof input === 'string' ? [input] : itemsOf(input).map(({ content }) => content);
    const all = contents.map((content, index) => {
      const item = { type: 'message', id: `msg_${name}_in${index}`, role: 'user', content };
      items.set(item.id, { ...item, secret: `the secret of ${item.id}` });
      return item;
    });
    const start = after === null ? 0 : all.findIndex(({ id }) => id === after) + 1;
    const [item] = all.slice(start);
    return json({
      object: 'list',
      data: item === undefined ? [] : [item],
      first_id: item?.id ?? null,
      last_id: item?.id ?? null,
      has_more: start < all.length - 1,
    });
  }
}

const usage = {
  input_tokens: 1,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: 1,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 2,
};

function itemsOf(input: unknown): readonly Json[] {
  return Array.isArray(input) ? input : [];
}

function streamEvents(client: Exchange['response'], response: Json, after = -1): unknown {
  const output = itemsOf(response.output);
  const events = [
    { type: 'response.created', response: { ...response, status: 'in_progress', output: [] } },
    ...output.flatMap((item, index) => eventsOf(item, index)),
    { type: 'response.completed', response },
  ];
  const lines = events.map(
    (event, number) =>
      `event: ${event.type}\ndata: ${JSON.stringify({ ...event, sequence_number: number })}\n\n`,
  );
  return beginStream(client).end(lines.slice(after + 1).join(''));
}

function eventsOf(item: Json, index: number): readonly (Json & { readonly type: string })[] {
  const place = { output_index: index };
  const part = { item_id: item.id, ...place, content_index: 0 };
  const text = itemsOf(item.content).flatMap((content) => [
    { type: 'response.content_part.added', ...part, part: { ...content, text: '' } },
    { type: 'response.output_text.delta', ...part, delta: content.text, logprobs: [] },
    { type: 'response.output_text.done', ...part, text: content.text, logprobs: [] },
    { type: 'response.content_part.done', ...part, part: content },
  ]);
  return [
    { type: 'response.output_item.added', ...place, item: { ...item, content: [] } },
    ...text,
    { type: 'response.output_item.done', ...place, item },
  ];
}
