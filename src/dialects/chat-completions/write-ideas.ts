import type { IdeaPool } from '../idea-pool.ts';
import type { FormatIdea, ToolChoiceIdea, ToolIdea } from '../ideas.ts';
import { anyGiven, given, isJsonObject, type JsonObject } from '../json-object.ts';
import { writeReasoning } from '../reasoning-ideas.ts';
import { writeStop } from '../stop-sequences.ts';
import { knownExtras } from '../tool-ideas.ts';
import { webSearchFields } from '../web-search.ts';

export function writeIdeas(ideas: IdeaPool): JsonObject {
  const tools = ideas.takeEach('tool', writeTool);
  const topLogprobs = ideas.take('topLogprobs');
  return given({
    max_completion_tokens: ideas.take('tokenLimit'),
    stop: writeStop(ideas),
    models: ideas.take('fallbackModels'),
    // Only here does one have to be asked for before the other.
    logprobs: topLogprobs === undefined ? undefined : true,
    top_logprobs: topLogprobs,
    tools: tools.length === 0 ? undefined : tools,
    tool_choice: writeChoice(ideas.take('toolChoice')),
    parallel_tool_calls: ideas.take('parallelToolCalls'),
    reasoning: anyGiven({ ...writeReasoning(ideas), ...writeVisibility(ideas) }),
    verbosity: ideas.take('verbosity'),
    response_format: writeFormat(ideas.take('format'), ideas),
  });
}

function writeTool(idea: ToolIdea, lose: (part: string) => void): JsonObject {
  if (idea.type === 'server') return idea.tool;
  if (idea.type === 'custom') return { type: 'custom', custom: nestGrammar(idea.definition) };
  if (idea.type === 'web-search') return writeSearch(idea.tool, lose);
  const { name, description, parameters, strict } = idea;
  return {
    type: 'function',
    function: given({ name, description, parameters, strict }),
    ...knownExtras(idea, ['cache_control'], lose),
  };
}

function nestGrammar(definition: JsonObject): JsonObject {
  const { format } = definition;
  if (!isJsonObject(format) || format.type !== 'grammar') return definition;
  const { type, ...grammar } = format;
  return { ...definition, format: { type, grammar } };
}

function writeSearch(tool: JsonObject, lose: (part: string) => void): JsonObject {
  for (const name of Object.keys(tool)) if (!isSearchField(name)) lose(name);
  return Object.fromEntries(Object.entries(tool).filter(([name]) => isSearchField(name)));
}

function isSearchField(name: string): boolean {
  return name === 'type' || Object.hasOwn(webSearchFields, name);
}

function writeChoice(idea: ToolChoiceIdea | undefined): unknown {
  if (idea === undefined) return undefined;
  if (idea.type === 'server') return idea.choice;
  if (idea.type === 'allowed') {
    const { mode, tools } = idea;
    return { type: 'allowed_tools', allowed_tools: given({ mode, tools: tools.map(nestName) }) };
  }
  return 'name' in idea ? nestName(idea) : idea.type;
}

/** A function or a custom tool by its name, which stands under its type here; any other as it is. */
function nestName(tool: unknown): unknown {
  if (!isJsonObject(tool) || (tool.type !== 'function' && tool.type !== 'custom')) return tool;
  const { type, ...rest } = tool;
  return { type, [type]: rest };
}

function writeVisibility(ideas: IdeaPool): JsonObject {
  const visibility = ideas.take('reasoningVisibility');
  return {
    exclude: visibility === undefined ? undefined : visibility === 'hidden',
    summary: ideas.take('reasoningSummary'),
  };
}

/** A schema needs a name here. */
function writeFormat(idea: FormatIdea | undefined, ideas: IdeaPool): JsonObject | undefined {
  if (idea?.type !== 'json_schema') return idea;
  const { type, name = 'response', schema, strict } = idea;
  const description = ideas.take('formatDescription');
  return { type, json_schema: given({ name, description, schema, strict }) };
}
