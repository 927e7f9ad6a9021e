/** How a conversation continues with the responses of its columns. */

import type { Message } from '../../../features/runs/message.ts';
import type { CallInputs } from './column-call.ts';
import type { ModelResponse } from './model-response.ts';
import type { Run } from './run.ts';

/**
 * Whether a run answers the conversation. The draft, the variables and the texts of turns may have
 * changed since: the model should still see what it said.
 */
export function isAnswerTo(messages: readonly Message[], run: ColumnResult | undefined): run is ColumnResult {
  return run?.phase === 'done' && isComplete(messages) && run.inputs.messages.length === messages.length;
}

/** The part of a run that matters to the conversation. */
type ColumnResult = Pick<Run, 'phase' | 'response'> & { readonly inputs: CallInputs };

export interface FollowUp {
  readonly messages: readonly Message[];
  /** Why the conversation cannot continue like this. */
  readonly problem?: string;
}

/** The conversation with a new message. The answer of a single column comes before it. */
export function followUp(
  messages: readonly Message[],
  runs: readonly (ColumnResult | undefined)[],
  message: Message,
): FollowUp {
  const answers = runs.filter((run) => isAnswerTo(messages, run));
  const [answer] = answers;
  const unanswered = { messages: [...messages, message] };
  if (answer === undefined) return unanswered;
  if (answers.every(({ response }) => response.toolCalls.length > 0))
    return { ...unanswered, problem: 'Send the tool results first' };
  if (runs.length > 1)
    return { ...unanswered, problem: 'Choose “Continue with this response” in a column first' };
  return { messages: [...messages, messageOf(answer.response, messages.length), message] };
}

/** Whether the conversation can be sent: the last word is the user's or a tool's. */
export function isComplete(messages: readonly Message[]): boolean {
  return messages.length > 0 && messages.at(-1)?.role !== 'assistant';
}

/**
 * The response as a message, to continue the conversation with. `turns` is the length of the
 * conversation so far: ids of tool calls must not repeat in it.
 */
export function messageOf({ text, toolCalls }: ModelResponse, turns: number): Message {
  if (toolCalls.length === 0) return { role: 'assistant', content: text };
  return {
    role: 'assistant',
    content: text === '' ? null : text,
    tool_calls: toolCalls.map(({ index, name, argumentText }) => ({
      // Providers have ids of their own, which only have to match within the conversation.
      id: `call_${turns}_${index + 1}`,
      type: 'function',
      function: { name, arguments: argumentText === '' ? '{}' : argumentText },
    })),
  };
}
