import { asObjects } from '../core/json/loose-json.ts';
import type { Dialect } from '../core/presets/preset.ts';
import { allDialects } from './dialects.ts';
import type { DialectDefinition } from './model/dialect.ts';

/**
 * Guesses the dialect of a request body from the fields, tools and messages that are typical of
 * one. Returns undefined if nothing is typical. A body with `messages` and nothing else to tell it
 * by is chat completions, the most common dialect.
 */
export function recognizeDialect(body: object): Dialect | undefined {
  const lists = new Set(allDialects.map(({ conversation }) => conversation.list)).intersection(
    new Set(Object.keys(body)),
  );
  if (lists.size > 1) return undefined;
  const hasList = lists.size === 1;
  const candidates = allDialects.filter(({ conversation, request }) =>
    hasList ? lists.has(conversation.list) : Object.keys(request.minimalConversation).length === 0,
  );
  const hints = hintsOf(body);
  const count = ({ name }: DialectDefinition) => hints.filter((hint) => hint === name).length;
  // The later one wins a tie, because the first needs no hints.
  const best = candidates.reduce((one, other) =>
    count(other) > 0 && count(other) >= count(one) ? other : one,
  );
  return hasList || count(best) > 0 ? best.name : undefined;
}

/** The dialect that all hints agree on; undefined without hints, or if they differ. */
export function typicalDialect(body: object): Dialect | undefined {
  const [first, ...others] = new Set(hintsOf(body));
  return others.length === 0 ? first : undefined;
}

function hintsOf(body: object): readonly Dialect[] {
  const fields = new Map(Object.entries(body));
  // Several dialects have `messages`. Fields tell these apart, whatever the others have.
  const candidates = allDialects.filter(
    ({ conversation }) => !fields.has('messages') || conversation.list === 'messages',
  );
  const messages = asObjects(fields.get('messages'));
  return [
    ...[...fields.keys()].flatMap((name) => onlyOne(candidates, (each) => hasField(each, name))),
    ...asObjects(fields.get('tools')).flatMap((tool) =>
      onlyOne(allDialects, (each) => each.hints.isTool(tool)),
    ),
    ...messages.flatMap(({ role, content }) => {
      const byRole = onlyOne(allDialects, ({ hints }) => includes(hints.roles, role));
      if (byRole.length > 0) return byRole;
      const types = asObjects(content).map(({ type }) => type);
      return onlyOne(allDialects, ({ hints }) => types.some((type) => includes(hints.parts, type)));
    }),
  ];
}

/** One hint if exactly one dialect matches. */
function onlyOne(
  dialects: readonly DialectDefinition[],
  matches: (dialect: DialectDefinition) => boolean,
): readonly Dialect[] {
  const [first, ...others] = dialects.filter(matches);
  return first === undefined || others.length > 0 ? [] : [first.name];
}

function hasField({ request, hints }: DialectDefinition, name: string): boolean {
  return Object.hasOwn(request.fields, name) || includes(hints.fields, name);
}

function includes(names: readonly string[] | undefined, value: unknown): boolean {
  return names?.some((name) => name === value) ?? false;
}
