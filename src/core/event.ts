import { snakeCase } from './text/letter-case.ts';

/** Shared by the events of presets and those of the organization. */

/** The user who makes a change, and the key they use. */
export interface Author {
  readonly userId: string;
  /** Null for a change made directly on the database. */
  readonly keyLabel: string | null;
}

/** The changed values, before or after the change. Names and values are part of the API. */
export type EventValues = Readonly<Record<string, string | number | boolean | null>>;

/**
 * The fields that an edit replaces, each with the kind of event that records it. The type of the
 * edit, its events, and the values in events of a new or deleted thing are derived from this.
 */
export type Details<Thing, Kind> = { readonly [Detail in keyof Thing]?: Kind };

/** An undefined detail keeps its value. */
export type DetailsEdit<Thing, Listed> = {
  readonly [Detail in keyof Thing & keyof Listed]?: Thing[Detail] | undefined;
};

/** Events have no lists, so a list becomes one text. */
type DetailValue = EventValues[string] | readonly string[];

/** A change of each detail, including those that are the same before and after. */
export function detailChanges<Detail extends string, Kind>(
  details: Readonly<Record<Detail, Kind>>,
  before: Readonly<Record<NoInfer<Detail>, DetailValue>>,
  after: Readonly<Record<NoInfer<Detail>, DetailValue>>,
): readonly (readonly [kind: Kind, before: EventValues, after: EventValues])[] {
  const only = (thing: Readonly<Record<Detail, DetailValue>>, name: Detail) => ({
    [snakeCase(name)]: textOfList(thing[name]),
  });
  return namesOf(details).map((name) => [details[name], only(before, name), only(after, name)]);
}

export function detailValues<Detail extends string>(
  details: Readonly<Record<Detail, unknown>>,
  thing: Readonly<Record<NoInfer<Detail>, DetailValue>>,
): EventValues {
  return Object.fromEntries(namesOf(details).map((name) => [snakeCase(name), textOfList(thing[name])]));
}

function namesOf<Name extends string>(details: Readonly<Record<Name, unknown>>): readonly Name[] {
  return Object.keys(details) as Name[];
}

function textOfList(value: DetailValue): EventValues[string] {
  return typeof value === 'object' && value !== null ? value.join(', ') : value;
}
