import { isJsonObject, type JsonObject } from '../../core/json/json-object.ts';
import type { Dialect } from '../../core/presets/preset.ts';
import { isServerTool, isToolSearch, isWebSearch, toolLabel } from '../../dialects/model/tool-identity.ts';
import type { UpstreamKind } from '../upstreams/upstream.ts';
import { kinds, type RequestQuirks } from '../upstreams/upstream-kinds.ts';

interface AdaptedBody {
  /** The same object that came in if the upstream accepts it unchanged. */
  readonly body: JsonObject;
  /** The names of the removed fields; nested ones use dots, and stars for indexes of messages. */
  readonly droppedFields: readonly string[];
}

/**
 * Changes what the upstream would reject or misunderstand, so that a preset captured from an
 * OpenRouter request works with other upstreams too. `upstream-kinds.ts` lists what that is.
 */
export function adaptToUpstream(body: JsonObject, dialect: Dialect, kind: UpstreamKind): AdaptedBody {
  const quirks = kinds[kind].quirks?.[dialect];
  let adapted = body;
  let droppedFields = none;
  if (quirks !== undefined)
    for (const step of stepsFor(quirks)) {
      const next = step(adapted);
      if (next === undefined) continue;
      adapted = next.body;
      droppedFields = [...droppedFields, ...next.droppedFields];
    }
  return { body: adapted, droppedFields };
}

const none: readonly string[] = [];

/** Returns undefined if there is nothing to change. */
type Step = (body: JsonObject) => AdaptedBody | undefined;

const compiledSteps = new Map<RequestQuirks, readonly Step[]>();

/** Compiled once, and without the steps that have nothing to look for: messages can be long. */
function stepsFor(quirks: RequestQuirks): readonly Step[] {
  let steps = compiledSteps.get(quirks);
  if (steps === undefined) {
    steps = [
      adaptFields(quirks),
      removeServerTools(quirks.dialect),
      ...(quirks.rejectedInTools.length > 0 ? [removeToolFields(quirks.rejectedInTools)] : []),
      ...(changesMessages(quirks) ? [adaptMessages(quirks)] : []),
      ...(quirks.reasoning === undefined ? [] : [reasoningSteps[quirks.reasoning]]),
    ];
    compiledSteps.set(quirks, steps);
  }
  return steps;
}

/** Renames or removes fields. If the new name is taken, the field is removed: the API's wins. */
function adaptFields({ rejected, renamed }: RequestQuirks): Step {
  return (body) => {
    const names = Object.keys(body);
    if (!names.some((name) => rejected.has(name) || renamed.has(name))) return undefined;
    const entries: [string, unknown][] = [];
    const droppedFields: string[] = [];
    for (const name of names) {
      const newName = renamed.get(name) ?? name;
      const isTaken = newName !== name && Object.hasOwn(body, newName);
      if (rejected.has(name) || isTaken) droppedFields.push(name);
      else entries.push([newName, body[name]]);
    }
    return { body: Object.fromEntries(entries), droppedFields };
  };
}

/**
 * Removes the tools that OpenRouter runs itself, and the tool choice if it names one of them or no
 * tool is left: upstreams reject a choice without tools. Without a tool that searches for them,
 * deferred tools have to be loaded.
 */
function removeServerTools(dialect: Dialect): Step {
  // In chat completions, only OpenRouter offers web search as a tool.
  const isRejected = (tool: unknown): tool is JsonObject =>
    isServerTool(tool) || (dialect === 'chat-completions' && isJsonObject(tool) && isWebSearch(tool));
  return (body) => {
    const { tools } = body;
    if (!Array.isArray(tools) || !tools.some(isRejected)) return undefined;
    const accepted = tools.filter((tool) => !isRejected(tool));
    const removed = tools.filter(isRejected);
    const isSearchLost = removed.some(isToolSearch) && !accepted.some(isToolSearch);
    const { rest, deferred } = isSearchLost ? loadAll(accepted) : { rest: accepted, deferred: none };
    const dropped = [...removed.map(({ type }) => `tools.${type}`), ...deferred];
    const staleChoices = choiceFields.filter(
      (name) => Object.hasOwn(body, name) && (rest.length === 0 || isRejected(body[name])),
    );
    const adapted = omit(body, rest.length === 0 ? ['tools', ...staleChoices] : staleChoices);
    return {
      body: rest.length === 0 ? adapted : { ...adapted, tools: rest },
      droppedFields: [...new Set(dropped), ...staleChoices],
    };
  };
}

function loadAll(tools: readonly unknown[]) {
  const isDeferred = (tool: unknown): tool is JsonObject => isJsonObject(tool) && tool.defer_loading === true;
  return {
    rest: tools.map((tool) => (isDeferred(tool) ? omit(tool, ['defer_loading']) : tool)),
    deferred: tools.filter(isDeferred).map((tool) => `tools.${toolLabel(tool) ?? '*'}.defer_loading`),
  };
}

const choiceFields = ['tool_choice', 'parallel_tool_calls'];

function removeToolFields(rejected: readonly string[]): Step {
  return (body) => {
    const { tools } = body;
    if (!Array.isArray(tools) || !anyHas(tools, rejected)) return undefined;
    return {
      body: { ...body, tools: tools.map((tool) => omitFrom(tool, rejected)) },
      droppedFields: tools.flatMap((tool: unknown, index) =>
        hasAny(tool, rejected)
          ? rejected
              .filter((name) => Object.hasOwn(tool, name))
              .map((name) => `tools.${toolLabel(tool) ?? index}.${name}`)
          : [],
      ),
    };
  };
}

function changesMessages({ rejectedInMessages, rejectedInParts, renamedRoles }: RequestQuirks): boolean {
  return rejectedInMessages.length > 0 || rejectedInParts.length > 0 || renamedRoles.size > 0;
}

/**
 * Renames roles, and removes fields of messages and their content parts. Copies nothing until the
 * first message that has to change. Names of removed fields have a star for every index, because a
 * conversation may repeat them hundreds of times.
 */
function adaptMessages({ rejectedInMessages, rejectedInParts, renamedRoles }: RequestQuirks): Step {
  return (body) => {
    const { messages } = body;
    if (!Array.isArray(messages)) return undefined;
    const dropped = new Set<string>();
    let adapted: unknown[] | undefined;
    for (let index = 0; index < messages.length; index++) {
      const message: unknown = messages[index];
      const next = isJsonObject(message) ? adaptMessage(message, dropped) : message;
      if (next === message) continue;
      adapted ??= [...messages];
      adapted[index] = next;
    }
    return adapted && { body: { ...body, messages: adapted }, droppedFields: [...dropped] };
  };

  function adaptMessage(message: JsonObject, dropped: Set<string>): JsonObject {
    const { role, content } = message;
    let adapted = message;
    const newRole = typeof role === 'string' ? renamedRoles.get(role) : undefined;
    if (newRole !== undefined) adapted = { ...adapted, role: newRole };
    if (Array.isArray(content) && anyHas(content, rejectedInParts)) {
      for (const name of namesIn(content, rejectedInParts)) dropped.add(`messages.*.content.*.${name}`);
      adapted = { ...adapted, content: content.map((part) => omitFrom(part, rejectedInParts)) };
    }
    if (hasAny(message, rejectedInMessages)) {
      for (const name of namesIn([message], rejectedInMessages)) dropped.add(`messages.*.${name}`);
      adapted = omit(adapted, rejectedInMessages);
    }
    return adapted;
  }
}

/**
 * Whether a value is an object with at least one of these fields. Runs for every part of every
 * message of every call, so it is a loop without closures: half the time for a long conversation.
 */
function hasAny(value: unknown, names: readonly string[]): value is JsonObject {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  for (let index = 0; index < names.length; index++)
    if (Object.hasOwn(value, names[index] ?? '')) return true;
  return false;
}

function anyHas(values: readonly unknown[], names: readonly string[]): boolean {
  for (let index = 0; index < values.length; index++) if (hasAny(values[index], names)) return true;
  return false;
}

function namesIn(values: readonly unknown[], names: readonly string[]): readonly string[] {
  return names.filter((name) => values.some((value) => hasAny(value, [name])));
}

function omitFrom(value: unknown, names: readonly string[]): unknown {
  return hasAny(value, names) ? omit(value, names) : value;
}

const reasoningSteps: Readonly<Record<NonNullable<RequestQuirks['reasoning']>, Step>> = {
  reasoning_effort: replaceReasoningByEffort,
  'openai-object': removeOpenRouterReasoning,
};

function replaceReasoningByEffort(body: JsonObject): AdaptedBody | undefined {
  if (!Object.hasOwn(body, 'reasoning')) return undefined;
  const { reasoning, ...rest } = body;
  if (!isJsonObject(reasoning)) return { body: rest, droppedFields: ['reasoning'] };
  const { effort, dropped } = splitReasoning(reasoning, []);
  const isAlreadySet = effort === undefined || Object.hasOwn(rest, 'reasoning_effort');
  return { body: isAlreadySet ? rest : { ...rest, reasoning_effort: effort }, droppedFields: dropped };
}

/** OpenAI's `reasoning` object in responses has fewer fields than OpenRouter's. */
function removeOpenRouterReasoning(body: JsonObject): AdaptedBody | undefined {
  const { reasoning, ...rest } = body;
  if (!isJsonObject(reasoning)) return undefined;
  const openAiParts = ['summary', 'generate_summary', 'context', 'mode'];
  const { effort, supported, dropped } = splitReasoning(reasoning, openAiParts);
  if (dropped.length === 0 && effort === reasoning.effort) return undefined;
  const adapted = effort === undefined ? supported : { effort, ...supported };
  const isEmpty = Object.keys(adapted).length === 0;
  return { body: isEmpty ? rest : { ...rest, reasoning: adapted }, droppedFields: dropped };
}

/**
 * Splits a `reasoning` object into its effort, the fields that the upstream supports and the names
 * of the others. `enabled: false` becomes the effort `none`, which is how everyone but OpenRouter
 * turns reasoning off. A null counts as absent.
 */
function splitReasoning(
  { effort, ...parts }: JsonObject,
  supportedNames: readonly string[],
): { readonly effort: unknown; readonly supported: JsonObject; readonly dropped: readonly string[] } {
  const isOff = parts.enabled === false && (effort === undefined || effort === null);
  const others = Object.keys(parts).filter((name) => !supportedNames.includes(name));
  const dropped = others.filter((name) => parts[name] !== null && !(isOff && name === 'enabled'));
  return {
    effort: isOff ? 'none' : (effort ?? undefined),
    supported: omit(parts, others),
    dropped: dropped.map((name) => `reasoning.${name}`),
  };
}

/** `Object.fromEntries` defines own properties even for `__proto__`, unlike assignment. */
function omit(body: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(body).filter(([name]) => !names.includes(name)));
}
