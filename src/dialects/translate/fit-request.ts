import { isJsonObject, type JsonObject } from '../../core/json/json-object.ts';
import type { Dialect } from '../../core/presets/preset.ts';
import { dialectOf } from '../dialects.ts';
import type { ToolNames } from '../model/completion.ts';
import type { DropLoss, FitLoss } from '../model/dialect.ts';
import { isWebSearch } from '../model/tool-identity.ts';
import { fitToolNames } from './tool-names.ts';

interface FittedRequest {
  readonly body: JsonObject;
  /** Paths in the request, with what they are if other dialects have other names for it. */
  readonly losses: ReadonlyMap<string, FitLoss | undefined>;
  readonly toolNames: ToolNames;
}

/**
 * Brings a translated request into a form that the provider of a dialect accepts: adds what it
 * requires and leaves out what it rejects, for example in combination with something else. Only the
 * whole request tells, so this is the last step. Fitting a request again does not change it.
 * `tokensMax` bounds a token limit that is added.
 */
export function fitRequest(body: JsonObject, dialect: Dialect, tokensMax = Infinity): FittedRequest {
  const losses = new Map<string, FitLoss | undefined>();
  const drop: DropLoss = (path, loss) => losses.set(path, loss);
  const fitted = withoutUselessChoice(dialectOf[dialect].request.fit(body, drop, tokensMax), drop);
  return { ...fitToolNames(fitted, dialect), losses };
}

/** All providers reject a choice between no tools, and of one that is not in the list. */
function withoutUselessChoice(body: JsonObject, drop: DropLoss): JsonObject {
  const { tools, tool_choice: choice, parallel_tool_calls: parallel, ...rest } = body;
  if (Array.isArray(tools) && tools.length > 0) {
    const fitted = fitChoice(choice, tools);
    if (fitted === choice) return body;
    drop('tool_choice');
    const { tool_choice: _, ...others } = body;
    return fitted === undefined ? others : { ...others, tool_choice: fitted };
  }
  if (choice === undefined && parallel === undefined) return body;
  const type = isJsonObject(choice) ? choice.type : choice;
  if (type !== undefined && type !== 'auto' && type !== 'none') drop('tool_choice');
  return rest;
}

/** The choice without hosted tools that are not in the list; undefined if nothing is left of it. */
function fitChoice(choice: unknown, tools: readonly unknown[]): unknown {
  if (!isJsonObject(choice)) return choice;
  const allowed = isJsonObject(choice.allowed_tools) ? choice.allowed_tools : choice;
  if (!Array.isArray(allowed.tools)) return canBeChosen(choice, tools) ? choice : undefined;
  const kept = allowed.tools.filter((tool) => canBeChosen(tool, tools));
  if (kept.length === allowed.tools.length) return choice;
  if (kept.length === 0) return undefined;
  return allowed === choice
    ? { ...choice, tools: kept }
    : { ...choice, allowed_tools: { ...allowed, tools: kept } };
}

/** False for the choice of a hosted tool that is not in the list. */
function canBeChosen(choice: unknown, tools: readonly unknown[]): boolean {
  if (!isJsonObject(choice) || plainChoices.has(choice.type)) return true;
  return tools.some(
    (tool) => isJsonObject(tool) && (tool.type === choice.type || (isWebSearch(tool) && isWebSearch(choice))),
  );
}

/** The types of choices that are not the types of hosted tools. */
const plainChoices: ReadonlySet<unknown> = new Set(['auto', 'none', 'any', 'tool', 'function', 'custom']);
