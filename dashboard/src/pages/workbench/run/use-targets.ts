import type { Dialect } from '../../../../../src/core/presets/preset.ts';
import { useVersion, useVersions } from '../../../api/presets.ts';
import { listedMax } from '../../../features/comparison/version-choice.ts';
import type { Message } from '../../../features/runs/message.ts';
import type { Column, VariableTexts } from '../../../features/runs/run-state.ts';
import { type Variable, variablesOf } from '../../../features/version-content/describe-variable.ts';
import type { DraftContent } from '../draft-content.ts';
import { bodyOf, useDraft, useIncompleteField, useWorkbench } from '../workbench.ts';
import { type CallInputs, callOf, isSameBesidesDraft, needsMessage } from './column-call.ts';
import { useRunClient } from './run-client.tsx';
import { isSameVersion } from './same-version.ts';
import { readVariables } from './variable-values.ts';

/** The request that a column sends, once it is loaded. */
export interface Target {
  readonly column: Column;
  /** Such as "Draft" or "Version 3 with openai/gpt-5". */
  readonly name: string;
  /** Undefined for the draft, and until it is loaded. */
  readonly version: number | undefined;
  /** The model of the version; undefined if it has none, or is not loaded yet. */
  readonly model: string | undefined;
  readonly variables: readonly Variable[];
  /** Whether it cannot run without a message. */
  readonly needsMessage: boolean;
  /**
   * The inputs of a run, without the text of the draft. Undefined until the version is known, and
   * while the draft is not a JSON object.
   */
  readonly inputs: ((messages: readonly Message[], texts: VariableTexts) => CallInputs) | undefined;
}

/** The choices for columns. */
export type Sources = readonly (readonly [value: string, title: string])[];

/** The versions that columns can try, and how to call each. */
export function useTargets(columns: readonly Column[]) {
  const { slug, preset: snapshot, dialect, canEdit, draft } = useWorkbench();
  const { workspaceId } = useRunClient();
  const draftVariables = useDraft(({ variables }) => variables);
  const draftModel = useDraft((content) => bodyOf(content).model);
  const draftExtension = useDraft((content) => bodyOf(content).presetd);
  const isObject = useDraft(({ body }) => body !== undefined);
  const incomplete = useIncompleteField();
  const { latest = 0 } = snapshot ?? {};
  const live = snapshot?.preset.designated_version.version;
  const { data: liveVersion } = useVersion(slug, live);
  const chosen = columns.flatMap(({ source }) => (typeof source === 'number' ? [source] : []));
  const newest = Array.from({ length: Math.min(latest, listedMax) }, (_, index) => latest - index);
  const numbers = [...new Set([...newest, ...chosen])].sort((one, other) => other - one);
  const sources: Sources = [
    ...(canEdit ? [['draft', 'Draft'] as const] : []),
    ...(live === undefined ? [] : [['live', `Live · version ${live}`] as const]),
    ...numbers.map((number) => [String(number), `Version ${number}`] as const),
  ];
  const versions = useVersions(slug, chosen);
  const versionOf = ({ source }: Column) =>
    typeof source === 'number' ? versions.get(source) : source === 'live' ? liveVersion : undefined;

  const targetOf = (column: Column): Target => {
    const { source, model } = column;
    const title = sources.find(([value]) => value === String(source))?.[1] ?? `Version ${source}`;
    const name = model === '' ? title : `${title} with ${model}`;
    const version = versionOf(column);
    const extension = source === 'draft' ? draftExtension : version?.presetd;
    const ownModel = source === 'draft' ? draftModel : version?.config.model;
    const variables = source === 'draft' ? draftVariables : variablesOf(version?.presetd);
    const isReady = source === 'draft' ? isObject : version !== undefined;
    const inputs = (messages: readonly Message[], texts: VariableTexts): CallInputs => ({
      ...{ source, model, messages },
      version: version?.version,
      draft: undefined,
      dialect: version?.dialect ?? dialect,
      variables: variables.length === 0 ? undefined : readVariables(variables, texts).values,
    });
    return {
      ...{ column, name, variables, version: version?.version },
      model: typeof ownModel === 'string' ? ownModel : undefined,
      needsMessage: needsMessage(version?.dialect ?? dialect, variables.length > 0, extension),
      inputs: isReady ? inputs : undefined,
    };
  };

  return {
    sources,
    targets: columns.map(targetOf),
    /** Why the draft cannot run if one of these tries it: a run would not have what is shown. */
    problemOf: (tried: readonly Target[]) =>
      incomplete !== undefined && tried.some(({ column }) => column.source === 'draft')
        ? `Cannot run: ${incomplete.label} is incomplete`
        : undefined,
    /** The call of a column, with the current or the given draft. Undefined while it cannot run. */
    callFor: (
      { inputs, column }: Target,
      messages: readonly Message[],
      texts: VariableTexts,
      { content = draft.get(), format }: CallVariant = {},
    ) => {
      const isDraft = column.source === 'draft';
      const config = isDraft ? content.body : versionOf(column)?.config;
      if (inputs === undefined || config === undefined) return undefined;
      const all = { ...inputs(messages, texts), draft: isDraft ? content.text : undefined };
      return callOf({ slug, inputs: all, config, workspaceId, format });
    },
  };
}

interface CallVariant {
  readonly content?: DraftContent;
  /** The dialect of the call; by default that of the version. */
  readonly format?: Dialect | undefined;
}

/** Whether a column would send something else now than it did. */
export function useIsStale(
  sent: CallInputs | undefined,
  { inputs }: Target,
  messages: readonly Message[],
  texts: VariableTexts,
): boolean {
  const isDraftChanged = useDraft(
    ({ text }) => sent?.draft !== undefined && !isSameVersion(sent.draft, text, sent.dialect),
  );
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
