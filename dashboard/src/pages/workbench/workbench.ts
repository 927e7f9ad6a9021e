/**
 * The draft that the workbench edits, shared with all of its parts.
 *
 * A draft is the text of a capture request; see `request-text.ts`. Each part reads some of it with
 * `useDraft` and changes it with `edit`, which gets the newest text: two edits in one event both
 * count. Everything that changes on every keystroke is in the store, so that the parts that do not
 * show it do not render. Checks by the server run after a pause and lag behind.
 */

import { createContext, useContext, useMemo, useRef, useState } from 'react';
import type { JsonObject } from '../../../../src/core/json/json-object.ts';
import type { Dialect } from '../../../../src/core/presets/preset.ts';
import { recognizeDialect } from '../../../../src/dialects/recognize-dialect.ts';
import type { PresetSnapshot } from '../../api/presets.ts';
import { createStore, type Store, useStore } from '../../components/store.ts';
import { type Capture, useCapture } from '../../features/capture/use-capture.ts';
import type { Draft } from '../../features/drafts/drafts.ts';
import { slugProblem } from '../../features/request/check-request.ts';
import { type DraftContent, parseDraft } from './draft-content.ts';
import {
  createIncompleteFields,
  findIncomplete,
  type IncompleteField,
  type IncompleteFields,
} from './incomplete-fields.ts';
import type { DraftHome } from './shown-draft.ts';

export interface Workbench {
  readonly slug: string;
  readonly home: DraftHome;
  /** The preset when it was last read or saved; undefined for a new one. */
  readonly preset: PresetSnapshot | undefined;
  /** The version that the draft started from; 0 for a new preset. */
  readonly base: number;
  readonly dialect: Dialect;
  readonly canEdit: boolean;
  /** For event handlers; components use `useDraft`. */
  readonly draft: Store<DraftContent>;
  /** Where the request editor should move the cursor; undefined once it has. */
  readonly revealed: Store<{ readonly offset: number } | undefined>;
  /** Typed text of fields that is not in the draft yet. */
  readonly incomplete: Store<IncompleteFields>;
  /** Changes the text. Ignored while the text is not a JSON object. */
  edit(change: (text: string, body: JsonObject) => string): void;
  /** Replaces the whole text, such as by the request editor, and its format if there is another. */
  replaceText(text: string, dialect?: Dialect): void;
  /** Whether names in braces that are not declared are meant as text. */
  readonly keepsBraces: boolean;
  keepBraces(isKept: boolean): void;
}

const WorkbenchContext = createContext<Workbench | undefined>(undefined);

export const WorkbenchProvider = WorkbenchContext.Provider;

export function useWorkbench(): Workbench {
  const workbench = useContext(WorkbenchContext);
  if (workbench === undefined) throw new Error('useWorkbench must be used inside a WorkbenchProvider.');
  return workbench;
}

/** Reads a part of the draft. The component renders again when that part is another object. */
export function useDraft<Part>(select: (draft: DraftContent) => Part): Part {
  return useStore(useWorkbench().draft, select);
}

/** The first field with a text that saving or running the draft would ignore. */
export function useIncompleteField(): IncompleteField | undefined {
  const fields = useStore(useWorkbench().incomplete, (all) => all);
  return useDraft(({ body }) => findIncomplete(fields, body));
}

const noBody: JsonObject = {};

/** The parsed text; empty while it is not a JSON object. */
export const bodyOf = ({ body }: DraftContent): JsonObject => body ?? noBody;

/** The last check of the draft. Apart from the rest, because only the settings show it. */
const CheckContext = createContext<Pick<Capture, 'report' | 'leftOut'> | undefined>(undefined);

export const CheckProvider = CheckContext.Provider;

export function useCheck(): Pick<Capture, 'report' | 'leftOut'> {
  const check = useContext(CheckContext);
  if (check === undefined) throw new Error('useCheck must be used inside a CheckProvider.');
  return check;
}

interface WorkbenchOptions extends Pick<Workbench, 'home' | 'preset'> {
  /** The initial draft; later values are ignored. */
  readonly start: Draft;
  readonly base: number;
  readonly baseDialect: Dialect;
  /** The initial text, which is not validated until somebody changes it. */
  readonly untouched: string | undefined;
  readonly canEdit: boolean;
}

/** Creates the state of the workbench. */
export function useNewWorkbench(options: WorkbenchOptions) {
  const { home, preset, start, base, baseDialect, untouched, canEdit } = options;
  const capture = useCapture(start, { baseDialect, untouched, isDryRun: canEdit });
  const [draft] = useState(() => createStore(parseDraft(start.text)));
  const [revealed] = useState(() => createStore<{ readonly offset: number } | undefined>(undefined));
  const [incomplete] = useState(() => createIncompleteFields(home.sender?.name ?? home.name));
  // Without a choice, the format of a new preset is the one that its text looks like.
  const recognized = recognizeDialect(bodyOf(draft.get()));
  const dialect = capture.draft.dialect ?? recognized ?? baseDialect;
  const keepsBraces = capture.draft.keepsBraces === true;
  const slug = preset === undefined ? callableSlug(capture.draft.slug) : home.slug;
  /** Changes the draft in both places: the store for the page, the capture for checks. */
  const change = (changed: Partial<Draft>) => {
    if (changed.text !== undefined) draft.set(parseDraft(changed.text, draft.get()));
    capture.change(changed);
  };
  const latest = useRef({ change, canEdit });
  latest.current = { change, canEdit };
  const workbench = useMemo<Workbench>(() => {
    const replaceText: Workbench['replaceText'] = (text, other) => {
      if (latest.current.canEdit) latest.current.change(other ? { text, dialect: other } : { text });
    };
    return {
      ...{ slug, home, preset, base, dialect, canEdit, draft, revealed, incomplete, replaceText },
      keepsBraces,
      keepBraces: (isKept) => latest.current.change({ keepsBraces: isKept || undefined }),
      edit(changeText) {
        const { text, body } = draft.get();
        if (body !== undefined) replaceText(changeText(text, body));
      },
    };
  }, [slug, home, preset, base, dialect, canEdit, draft, revealed, incomplete, keepsBraces]);
  return { workbench, capture, change };
}

/** Runs of a new preset need no slug: calls with a draft do not look for a preset. */
function callableSlug(typed: string): string {
  return slugProblem(typed) === undefined ? typed : 'new-preset';
}
