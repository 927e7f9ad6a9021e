import { isJsonObject, type JsonObject } from '../../core/json/json-object.ts';

/** The last response of a connection that no upstream stores, with everything that led to it. */
export interface History {
  readonly responseId: string;
  readonly items: readonly unknown[];
}

/** A message of a client as the body of `POST /responses`. */
export interface SocketRequest {
  readonly body: JsonObject;
  /** The whole conversation; undefined if an upstream has the beginning. */
  readonly items: readonly unknown[] | undefined;
}

/** An error as WebSocket clients get it. */
export class SocketError extends Error {
  readonly status: number;
  readonly code: string;
  readonly param: string | null;

  constructor(status: number, code: string, message: string, param: string | null = null) {
    super(message);
    this.status = status;
    this.code = code;
    this.param = param;
  }
}

/**
 * Reads a `response.create` message. If it continues the last response of the connection, the
 * conversation is put in front of its input; any other response has to be stored at an upstream.
 * Throws a `SocketError`.
 */
export function parseSocketRequest(message: unknown, history: History | undefined): SocketRequest {
  if (!isJsonObject(message) || message.type !== 'response.create')
    throw new SocketError(
      400,
      'invalid_request',
      'A message must be a JSON object with "type": "response.create".',
      'type',
    );
  if (message.generate === false)
    throw new SocketError(400, 'invalid_request', 'presetd does not support "generate": false.', 'generate');
  // Fields of HTTP only: a WebSocket always streams.
  const { type: _type, stream_options: _options, background: _background, generate: _, ...body } = message;
  const input = toItems(message.input);
  if (history === undefined || message.previous_response_id !== history.responseId) {
    return { body: { ...body, stream: true }, items: message.previous_response_id ? undefined : input };
  }
  const items = [...history.items, ...input];
  assertCallsExist(input, items);
  return { body: { ...body, input: items, previous_response_id: null, stream: true }, items };
}

function toItems(input: unknown): readonly unknown[] {
  if (Array.isArray(input)) return input;
  return input === undefined ? [] : [{ type: 'message', role: 'user', content: input }];
}

/** Providers reject an output without its call, but not all servers do. */
function assertCallsExist(input: readonly unknown[], items: readonly unknown[]): void {
  const ids = (list: readonly unknown[], type: RegExp) =>
    list
      .filter((item) => isJsonObject(item) && type.test(String(item.type)))
      .map((item) => (item as JsonObject).call_id);
  const calls = new Set(ids(items, /_call$/));
  const missing = ids(input, /_call_output$/).find((id) => !calls.has(id));
  if (missing !== undefined)
    throw new SocketError(
      400,
      'invalid_request',
      `The conversation has no tool call with the call_id ${JSON.stringify(missing)}.`,
      'input',
    );
}

/** The code of an error event of a connection, as OpenAI has it. */
export function codeOf(status: number): string {
  if (status === 429) return 'rate_limit_exceeded';
  return status >= 500 ? 'server_error' : 'invalid_request';
}
