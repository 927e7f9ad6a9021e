import { beginStream, type Exchange, json, type Script } from './upstream-scripts.ts';

/** A response as an upstream stores it. */
type Stored = Readonly<Record<string, unknown>> & { readonly id: string; readonly input: unknown };

/**
 * A script for an upstream that stores responses as OpenAI does: they can be created, continued,
 * retrieved, also as a stream, canceled and deleted. Its ids start with `resp_` and the name.
 */
export function storingResponses(name: string): Script {
  const stored = new Map<string, Stored>();

  function create({ request, response: client }: Exchange, script: (value: unknown) => Script) {
    const { input, model, store = true, background, previous_response_id: previous = null } = request.body;
    if (previous && !stored.has(previous))
      return json({ error: { message: `Previous response with id '${previous}' not found.` } }, 400);
    const id = `resp_${name}${stored.size}`;
    const message = {
      type: 'message',
      id: `msg_${stored.size}`,
      role: 'assistant',
      status: 'completed',
      content: [{ type: 'output_text', text: `after ${previous}`, annotations: [] }],
    };
    const response = {
      id,
      object: 'response',
      status: background === true ? 'queued' : 'completed',
      model,
      output: [message],
      previous_response_id: previous,
      store,
    };
    stored.set(id, { ...response, input });
    if (request.body.stream !== true) return script(response);
    return () => streamEvents(client, response);
  }

  return (exchange) => {
    const { method, path, body } = exchange.request;
    const url = new URL(path, 'http://upstream');
    const [, id, action] = /\/responses(?:\/([^/]+)(?:\/(\w+))?)?$/.exec(url.pathname) ?? [];
    if (method === 'POST' && id === undefined) return create(exchange, json)(exchange);
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
    if (action === 'input_items')
      return json({
        object: 'list',
        data: [{ type: 'message', id: 'msg_in', role: 'user', content: input }],
        first_id: 'msg_in',
        last_id: 'msg_in',
        has_more: false,
      })(exchange);
    if (url.searchParams.get('stream') === 'true')
      return streamEvents(exchange.response, visible, Number(url.searchParams.get('starting_after') ?? -1));
    return json(visible)(exchange);
  };
}

function streamEvents(client: Exchange['response'], response: object, after = -1): unknown {
  const events = [
    { type: 'response.created', response: { ...response, status: 'in_progress', output: [] } },
    { type: 'response.output_text.delta', item_id: 'msg', output_index: 0, content_index: 0, delta: 'a' },
    { type: 'response.completed', response },
  ];
  const lines = events.map(
    (event, number) =>
      `event: ${event.type}\ndata: ${JSON.stringify({ ...event, sequence_number: number })}\n\n`,
  );
  return beginStream(client).end(lines.slice(after + 1).join(''));
}
