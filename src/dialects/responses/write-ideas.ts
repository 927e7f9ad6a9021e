import type { IdeaPool } from '../idea-pool.ts';
import type { FormatIdea, ToolChoiceIdea, ToolIdea } from '../ideas.ts';
import { anyGiven, given, type JsonObject } from '../json-object.ts';
import { writeReasoning } from '../reasoning-ideas.ts';
import { writeStop } from '../stop-sequences.ts';
import { knownExtras } from '../tool-ideas.ts';

export function writeIdeas(ideas: IdeaPool): JsonObject {
  const tools = ideas.takeEach('tool', writeTool);
  return given({
    max_output_tokens: ideas.take('tokenLimit'),
    stop: writeStop(ideas),
    models: ideas.take('fallbackModels'),
    top_logprobs: ideas.take('topLogprobs'),
    tools: tools.length === 0 ? undefined : tools,
    tool_choice: writeChoice(ideas.take('toolChoice')),
    parallel_tool_calls: ideas.take('parallelToolCalls'),
    reasoning: anyGiven({ ...writeReasoning(ideas), ...writeVisibility(ideas) }),
    text: anyGiven({ format: writeFormat(ideas), verbosity: ideas.take('verbosity') }),
  });
}

/** A function must say of its parameters that there are none, and of its schema that it is not strict. */
function writeTool(idea: ToolIdea, lose: (part: string) => void): JsonObject {
  if (idea.type === 'server') return idea.tool;
  if (idea.type === 'custom') return { type: 'custom', ...idea.definition };
  if (idea.type === 'web-search') return writeSearch(idea.tool, lose);
  const { name, description, parameters, strict } = idea;
  return {
    type: 'function',
    ...given({ name, description }),
    parameters: parameters ?? null,
    strict: strict ?? false,
    ...knownExtras(idea, ['defer_loading', 'async'], lose),
  };
}

function writeSearch(tool: JsonObject, lose: (part: string) => void): JsonObject {
  const { allowed_domains, excluded_domains, ...rest } = tool;
  for (const name of Object.keys(rest)) if (!searchFields.includes(name)) lose(name);
  const known = Object.entries(rest).filter(([name]) => searchFields.includes(name));
  const filters = anyGiven({ allowed_domains, excluded_domains });
  return { ...Object.fromEntries(known), ...(filters !== undefined && { filters }) };
}

const searchFields: readonly string[] = [
  'type',
  'engine',
  'mode',
  'max_results',
  'max_uses',
  'search_context_size',
  'user_location',
];

function writeChoice(idea: ToolChoiceIdea | undefined): unknown {
  if (idea === undefined) return undefined;
  if (idea.type === 'server') return idea.choice;
  if (idea.type === 'allowed') return given({ ...idea, type: 'allowed_tools' });
  return 'name' in idea ? idea : idea.type;
}

/** Reasoning is shown here by a summary of it. */
function writeVisibility(ideas: IdeaPool): JsonObject {
  const visibility = ideas.take('reasoningVisibility');
  const summary = ideas.take('reasoningSummary');
  return {
    exclude: visibility === 'hidden' ? true : undefined,
    summary: summary ?? (visibility === 'shown' ? 'auto' : undefined),
  };
}

/** A schema needs a name here, and cannot be left out. */
function writeFormat(ideas: IdeaPool): FormatIdea | JsonObject | undefined {
  const idea = ideas.see('format');
  if (idea?.type === 'json_schema' && idea.schema === undefined) return undefined;
  ideas.take('format');
  if (idea?.type !== 'json_schema') return idea;
  const { type, name = 'response', schema, strict } = idea;
  return given({ type, name, description: ideas.take('formatDescription'), schema, strict });
}
