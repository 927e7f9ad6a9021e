import type { IdeaPool } from '../idea-pool.ts';
import type { ToolChoiceIdea, ToolIdea } from '../ideas.ts';
import { anyGiven, given, isJsonObject, type JsonObject } from '../json-object.ts';
import { knownExtras } from '../tool-ideas.ts';

export function writeIdeas(ideas: IdeaPool): JsonObject {
  const tools = ideas.takeEach('tool', writeTool);
  return given({
    max_tokens: ideas.take('tokenLimit'),
    stop_sequences: ideas.take('stopSequences'),
    tools: tools.length === 0 ? undefined : tools,
    tool_choice: writeChoice(ideas),
    thinking: writeThinking(ideas),
    output_config: anyGiven({ effort: writeEffort(ideas), format: writeFormat(ideas) }),
  });
}

function writeTool(idea: ToolIdea, lose: (part: string) => void): JsonObject | undefined {
  if (idea.type === 'server') return idea.tool;
  if (idea.type !== 'function') return undefined;
  const { name, description, parameters, strict } = idea;
  const schema = isJsonObject(parameters)
    ? { type: 'object', ...parameters }
    : { type: 'object', properties: {} };
  const extras = knownExtras(idea, ['cache_control', 'defer_loading', 'allowed_callers'], lose);
  return { ...given({ name, description }), input_schema: schema, ...given({ strict }), ...extras };
}

/** Whether tools may be called side by side is a part of the choice, except where none is to be called. */
function writeChoice(ideas: IdeaPool): JsonObject | undefined {
  const choice = choiceOf(ideas.see('toolChoice'));
  if (choice !== undefined) ideas.take('toolChoice');
  const isParallel = ideas.take('parallelToolCalls');
  if (isParallel === undefined || choice?.type === 'none') return choice;
  return { ...(choice ?? { type: 'auto' }), disable_parallel_tool_use: !isParallel };
}

function choiceOf(idea: ToolChoiceIdea | undefined): JsonObject | undefined {
  switch (idea?.type) {
    case 'auto':
    case 'none':
      return { type: idea.type };
    case 'required':
      return { type: 'any' };
    case 'function':
      return { type: 'tool', name: idea.name };
    default:
      return undefined;
  }
}

/** A budget asks for thinking of that length, an effort leaves the length to the model. */
function writeThinking(ideas: IdeaPool): JsonObject | undefined {
  const effort = ideas.see('reasoningEffort');
  if (ideas.see('isReasoning') === false || effort === 'none') {
    ideas.take('isReasoning');
    takeDisplay(ideas);
    if (effort === 'none') ideas.take('reasoningEffort');
    return { type: 'disabled' };
  }
  const budget = ideas.take('reasoningTokens');
  const isReasoning = ideas.take('isReasoning');
  if (budget === undefined && effort === undefined && isReasoning === undefined) return undefined;
  const type = budget === undefined ? 'adaptive' : 'enabled';
  return given({ type, budget_tokens: budget, display: takeDisplay(ideas) });
}

/** A summary of any length is one that is shown. */
function takeDisplay(ideas: IdeaPool): string | undefined {
  const summary = ideas.take('reasoningSummary');
  const visibility = ideas.take('reasoningVisibility') ?? (summary === undefined ? undefined : 'shown');
  if (visibility === undefined) return undefined;
  return visibility === 'shown' ? 'summarized' : 'omitted';
}

/** An effort has no bearing on thinking that is off. */
function writeEffort(ideas: IdeaPool): unknown {
  if (ideas.see('isReasoning') === false || ideas.see('reasoningEffort') === 'none') return undefined;
  const effort = ideas.take('reasoningEffort');
  return effort === 'minimal' ? 'low' : effort;
}

/** Free text is what comes without a format. Any JSON cannot be asked for, only that of a schema. */
function writeFormat(ideas: IdeaPool): JsonObject | undefined {
  const idea = ideas.see('format');
  if (idea?.type === 'text') ideas.take('format');
  if (idea?.type !== 'json_schema' || idea.schema === undefined) return undefined;
  ideas.take('format');
  return { type: idea.type, schema: idea.schema };
}
