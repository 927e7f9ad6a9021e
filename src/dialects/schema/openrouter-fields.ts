import { Type } from 'typebox';
import { deferredTools } from './deferred-tools.ts';
import { sessionId } from './identity.ts';
import { nullable } from './nullable.ts';
import { trace } from './observability.ts';
import { plugins } from './plugins.ts';
import { providerPreferences } from './provider-preferences.ts';
import { stopServerToolsWhen } from './stop-conditions.ts';

/** The fields that OpenRouter adds to every dialect. */
export const routingFields = {
  models: Type.Optional(
    Type.Array(Type.String(), { description: 'Fallback models, tried in order after `model`.' }),
  ),
  provider: Type.Optional(nullable(providerPreferences)),
  plugins: Type.Optional(plugins),
  route: Type.Optional(Type.Unknown({ description: 'Deprecated. Any value is accepted.' })),
  deferred_tools: Type.Optional(deferredTools),
  stop_server_tools_when: Type.Optional(stopServerToolsWhen),
  session_id: Type.Optional(sessionId),
  trace: Type.Optional(trace),
  preset: Type.Optional(Type.String({ description: 'A preset to apply. Captures do not save it.' })),
};

/** For OpenAI's two dialects; messages has its own. */
export const serviceTier = Type.Enum(['auto', 'default', 'fast', 'flex', 'priority', 'scale', 'ultrafast']);
