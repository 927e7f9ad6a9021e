import { useVersion, useVersionCount, useVersions } from '../../../api/presets.ts';
import { useSession } from '../../../api/session.ts';
import { listedMax } from '../../preset/compare/version-choice.ts';
import { type Variable, variablesOf } from '../../preset/describe-variable.ts';
import { readVariables, type VariableTexts } from '../../preset/playground/variable-values.ts';
import { useDraft, useWorkbench } from '../workbench.ts';
import { type CallInputs, type Column, callOf, isSameBesidesDraft, type Message } from './conversation.ts';

/** What a column tries, as far as it is loaded. */
export interface Target {
  readonly column: Column;
  /** Such as "Draft" or "Version 3 with openai/gpt-5". */
  readonly name: string;
  readonly variables: readonly Variable[];
  /**
   * What a run depends on, without the text of the draft. Undefined until the version is known, and
   * while the draft is not a JSON object.
   */
  readonly inputs: ((messages: readonly Message[], texts: VariableTexts) => CallInputs) | undefined;
}

/** The choices for columns. */
export type Sources = readonly (readonly [value: string, title: string])[];

/** The versions that columns can try, and how to call each. */
export function useTargets(columns: readonly Column[]) {
  const { slug, snapshot, dialect, canEdit, draft } = useWorkbench();
  const { workspaceId } = useSession();
  const draftVariables = useDraft(({ variables }) => variables);
  const isObject = useDraft(({ body }) => body !== undefined);
  const live = snapshot.preset.designated_version.version;
  const { data: latest = live } = useVersionCount(slug, snapshot.etag);
  const { data: liveVersion } = useVersion(slug, live);
  const numbers = Array.from({ length: Math.min(latest, listedMax) }, (_, index) => latest - index);
  const sources: Sources = [
    ...(canEdit ? [['draft', 'Draft'] as const] : []),
    ['live', `Live · version ${live}`] as const,
    ...numbers.map((number) => [String(number), `Version ${number}`] as const),
  ];
  const versions = useVersions(
    slug,
    columns.flatMap(({ source }) => (typeof source === 'number' ? [source] : [])),
  );

  const targetOf = (column: Column): Target => {
    const { source, model } = column;
    const title = sources.find(([value]) => value === String(source))?.[1] ?? `Version ${source}`;
    const name = model === '' ? title : `${title} with ${model}`;
    const version = source === 'draft' ? undefined : source === 'live' ? liveVersion : versions.get(source);
    const variables = source === 'draft' ? draftVariables : variablesOf(version?.presetd);
    const isReady = source === 'draft' ? isObject : version !== undefined;
    const inputs = (messages: readonly Message[], texts: VariableTexts): CallInputs => ({
      ...{ source, model, messages },
      version: version?.version,
      draft: undefined,
      dialect: version?.dialect ?? dialect,
      variables: variables.length === 0 ? undefined : readVariables(variables, texts).values,
    });
    return { column, name, variables, inputs: isReady ? inputs : undefined };
  };

  return {
    sources,
    targets: columns.map(targetOf),
    /** The call of a column, with the draft as it is now or as given. Undefined while it cannot be made. */
    callFor: (
      { inputs, column }: Target,
      messages: readonly Message[],
      texts: VariableTexts,
      { text, body } = draft.get(),
    ) => {
      const isDraft = column.source === 'draft';
      if (inputs === undefined || (isDraft && body === undefined)) return undefined;
      const all = { ...inputs(messages, texts), draft: isDraft ? text : undefined };
      return callOf({ slug, inputs: all, request: isDraft ? body : undefined, workspaceId });
    },
  };
}

/** Whether a column would send something else now than it did. */
export function useIsStale(
  sent: CallInputs | undefined,
  { inputs }: Target,
  messages: readonly Message[],
  texts: VariableTexts,
): boolean {
  const isDraftChanged = useDraft(({ text }) => sent?.draft !== undefined && sent.draft !== text);
  if (sent === undefined) return false;
  const current = inputs?.(messages, texts);
  return isDraftChanged || current === undefined || !isSameBesidesDraft(sent, current);
}

/** Columns may have the same variables; each is asked for once. */
export function mergeVariables(targets: readonly Target[]): readonly Variable[] {
  const all = targets.flatMap(({ variables }) =>
    variables.map((variable) => [variable.name, variable] as const),
  );
  return [...new Map(all).values()];
}

/** Says which columns do not have a variable; undefined if all do. */
export function missingIn(targets: readonly Target[], variable: string): string | undefined {
  const without = targets.filter(({ variables }) => variables.every(({ name }) => name !== variable));
  if (without.length === 0) return undefined;
  return `Not in ${without.map(({ name }) => name).join(', ')}.`;
}
