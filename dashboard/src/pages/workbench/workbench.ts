/**
 * The draft that the workbench edits, shared with all of its parts.
 *
 * A draft is the text of a capture request; see `request-text.ts`. Each part shows some of it and
 * changes it with `edit`, which gets the newest text: two edits in one event both count. Checks run
 * after a pause, like in the form for a new preset, and lag behind the text.
 */

import { createContext, useContext, useMemo, useRef } from 'react';
import type { Dialect } from '../../../../src/core/presets/preset.ts';
import type { JsonObject } from '../../../../src/dialects/json-object.ts';
import type { PresetSnapshot } from '../../api/presets.ts';
import { type CheckedText, checkRequestText } from '../capture/check-request.ts';
import type { Draft } from '../capture/drafts.ts';
import { type Capture, useCapture } from '../capture/use-capture.ts';
import { isJsonObject } from '../preset/config-values.ts';
import { type Variable, variablesOf } from '../preset/describe-variable.ts';

export interface Workbench {
  readonly slug: string;
  /** The preset when it was last read or saved. */
  readonly snapshot: PresetSnapshot;
  /** The version that the draft started from. */
  readonly base: number;
  readonly text: string;
  readonly checked: CheckedText;
  /** The parsed text; undefined while it is not a JSON object, and then forms are read-only. */
  readonly body: JsonObject | undefined;
  readonly dialect: Dialect;
  /** Whether the draft differs from the version it started from. */
  readonly isChanged: boolean;
  readonly canEdit: boolean;
  /** Checks by the server, for a text that may be a moment old. */
  readonly capture: Capture;
  /** Variables as the text declares them; their schemas may be incomplete while the user types. */
  readonly variables: readonly Variable[];
  /** Changes the text. Ignored while the text is not a JSON object. */
  edit(change: (text: string, body: JsonObject) => string): void;
  /** Replaces the whole text, such as by the request editor. */
  replaceText(text: string): void;
  /** Counts requests that were pasted: each replaces the conversation. */
  readonly importCount: number;
}

const WorkbenchContext = createContext<Workbench | undefined>(undefined);

export const WorkbenchProvider = WorkbenchContext.Provider;

export function useWorkbench(): Workbench {
  const workbench = useContext(WorkbenchContext);
  if (workbench === undefined) throw new Error('useWorkbench must be used inside a WorkbenchProvider.');
  return workbench;
}

interface WorkbenchOptions {
  readonly slug: string;
  readonly snapshot: PresetSnapshot;
  /** The initial draft; later values are ignored. */
  readonly start: Draft;
  readonly base: number;
  /** The version that the draft started from, as a request. */
  readonly pristine: string;
  readonly baseDialect: Dialect;
  readonly canEdit: boolean;
  readonly importCount: number;
}

/** Creates the state of the workbench. */
export function useNewWorkbench(options: WorkbenchOptions): Workbench {
  const { slug, snapshot, start, base, pristine, baseDialect, canEdit, importCount } = options;
  const capture = useCapture(start);
  const { text } = capture.draft;
  const checked = useMemo(() => checkRequestText(text), [text]);
  // Events may edit twice before React renders.
  const latest = useRef(text);
  latest.current = text;
  const replaceText = (next: string) => {
    latest.current = next;
    capture.change({ text: next });
  };
  const body = checked.kind === 'valid' ? checked.body : undefined;
  return {
    slug,
    snapshot,
    base,
    text,
    checked,
    body,
    dialect: capture.draft.dialect ?? baseDialect,
    isChanged: text !== pristine,
    importCount,
    canEdit,
    capture,
    variables: useMemo(() => declaredVariables(body), [body]),
    edit(change) {
      const current = checkRequestText(latest.current);
      if (canEdit && current.kind === 'valid') replaceText(change(latest.current, current.body));
    },
    replaceText(next) {
      if (canEdit) replaceText(next);
    },
  };
}

/** Leaves out declarations that the server would reject, such as one without a type. */
function declaredVariables(body: JsonObject | undefined): readonly Variable[] {
  const presetd = isJsonObject(body?.presetd) ? body.presetd : {};
  const declared = isJsonObject(presetd.variables) ? Object.entries(presetd.variables) : [];
  const valid = declared.filter(([, schema]) => isJsonObject(schema) && typeof schema.type === 'string');
  return variablesOf({ variables: Object.fromEntries(valid) });
}
