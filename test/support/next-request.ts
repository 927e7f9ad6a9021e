import type { JsonObject } from '../../src/core/json/json-object.ts';
import { asObject, asObjects } from '../../src/core/json/loose-json.ts';
import type { Dialect } from '../../src/core/presets/preset.ts';

/** The request with which a client continues after a response, whose turn it sends back. */
export function nextRequest(dialect: Dialect, response: JsonObject): JsonObject {
  const asked = { role: 'user', content: 'Hi' };
  const more = { role: 'user', content: 'Go on' };
  if (dialect === 'responses') return { input: [asked, ...asObjects(response.output), more] };
  const turn =
    dialect === 'messages'
      ? { role: 'assistant', content: response.content }
      : asObject(asObjects(response.choices)[0]?.message);
  return { messages: [asked, turn, more] };
}
