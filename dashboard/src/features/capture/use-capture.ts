/**
 * A request that is being edited, and what is known about it.
 *
 * Each edit is checked in two steps after a short pause: the text must be a JSON object in a known
 * dialect, then a dry run asks the server what it would store. Results are shown until newer ones
 * arrive, so that nothing flickers while the user types.
 */

import { keepPreviousData, type Query, useQuery } from '@tanstack/react-query';
import { useMemo, useRef, useState } from 'react';
import { JsonText } from '../../../../src/api/client.ts';
import type { PresetVersionDetails } from '../../../../src/api/versions.ts';
import type { JsonObject } from '../../../../src/core/json/json-object.ts';
import type { Dialect } from '../../../../src/core/presets/preset.ts';
import { isAboutLiteralBraces } from '../../../../src/dialects/presets/extension/check-extension.ts';
import type { ExtensionRequest } from '../../../../src/dialects/presets/extension/schema.ts';
import { findUpstreamIssues } from '../../../../src/dialects/presets/upstream-issues.ts';
import { recognizeDialect } from '../../../../src/dialects/recognize-dialect.ts';
import { ApiError, type Issue, isTemporary } from '../../api/api-error.ts';
import { dialectPaths } from '../../api/dialects.ts';
import { parseExactJson } from '../../api/exact-json.ts';
import { useSession } from '../../api/session.ts';
import { type Debounced, useDebounced } from '../../components/use-debounced.ts';
import type { Draft } from '../drafts/drafts.ts';
import {
  type CheckedText,
  checkRequestText,
  slugProblem,
  type TextProblem,
} from '../request/check-request.ts';
import {
  type LocatedIssue,
  locateIssues,
  unknownFieldWarnings,
  warningsMax,
} from '../request/locate-issues.ts';
import { saveOptionsOf, withSaveOptions } from './save-options.ts';

/** Problems and warnings, with the text that their positions refer to. */
export interface Report {
  readonly text: string;
  /** These block saving. */
  readonly problems: readonly (TextProblem | LocatedIssue)[];
  /** Fields that the server ignores, and likely mistakes. They do not block saving. */
  readonly warnings: readonly LocatedIssue[];
}

/** Debounce for checks, each of which uploads the whole text. */
const pauseMs = 300;

export type Capture = ReturnType<typeof useCapture>;

interface CaptureOptions {
  /** The format of a text that looks like none. */
  readonly baseDialect: Dialect;
  /** A text that counts as none. */
  readonly untouched?: string | undefined;
  /** False for people who cannot save: the server would reject their dry runs. */
  readonly isDryRun?: boolean;
}

/** `start` is the initial draft; later values of it are ignored. */
export function useCapture(start: Draft, { baseDialect, untouched = '', isDryRun = true }: CaptureOptions) {
  const [draft, setDraft] = useState(start);
  const text = useDebounced(draft.text, pauseMs);
  // An invalid slug would only make the dry run fail, so it counts as none.
  const slug = useDebounced(slugProblem(draft.slug) === undefined ? draft.slug : undefined, pauseMs);
  const checked = useMemo(
    () => checkRequestText(text.value === untouched ? '' : text.value),
    [text, untouched],
  );
  const recognized = useMemo(
    () => (checked.kind === 'valid' ? recognizeDialect(checked.body) : undefined),
    [checked],
  );
  const dialect = checked.kind === 'valid' ? (draft.dialect ?? recognized ?? baseDialect) : undefined;
  const dryRun = useDryRun({ slug: slug.value, dialect: isDryRun ? dialect : undefined, text });
  const report = useReport({
    ...{ text: text.value, checked, dialect, dryRun },
    keepsBraces: draft.keepsBraces === true,
  });
  const ownNote = useOwnNote(checked);
  return {
    draft,
    change: (changed: Partial<Draft>) => setDraft((before) => ({ ...before, ...changed })),
    dialect,
    dryRun,
    report,
    /** The fields that the version would not save; undefined until the text is checked. */
    leftOut: dialect === undefined ? undefined : dryRun.data,
    /** The note that will be saved. */
    note: ownNote ?? draft.note ?? '',
    /** The request itself wins over the form. */
    isNoteInText: ownNote !== undefined,
    /**
     * The version that saving would create; undefined until the dry run for exactly this slug is
     * done.
     */
    version:
      slug.value !== undefined && slug.value === draft.slug && !dryRun.isPlaceholderData
        ? dryRun.data?.data.designated_version.version
        : undefined,
    /** Whether the report may refer to an earlier text. */
    isChecking: text.value !== draft.text || dryRun.isFetching,
  };
}

/** One shared object, so that an unchanged result does not rerender the editor's markers. */
const emptyReport: Report = { text: '', problems: [], warnings: [] };

interface ReportOptions {
  readonly text: string;
  readonly checked: CheckedText;
  readonly dialect: Dialect | undefined;
  readonly dryRun: ReturnType<typeof useDryRun>;
  /** Names in braces are meant as text. */
  readonly keepsBraces: boolean;
}

/**
 * Keeps the last report while a dry run is in flight: markers that come and go with every keystroke
 * would distract.
 */
function useReport({ text, checked, dialect, dryRun, keepsBraces }: ReportOptions): Report {
  const { isFetching, error, isPlaceholderData, data } = dryRun;
  const serverWarnings = isPlaceholderData ? undefined : data?.warnings;
  const last = useRef(emptyReport);
  const report = useMemo(() => {
    if (checked.kind === 'invalid') return { text, problems: [checked.problem], warnings: [] };
    if (isFetching) return undefined;
    if (checked.kind === 'empty' || dialect === undefined) return emptyReport;
    const { rejected } = findUpstreamIssues(checked.body, dialect);
    const isRejected = ({ path, message }: Issue) =>
      rejected.some((issue) => issue.path === path && issue.message === message);
    const serverIssues = error instanceof ApiError ? error.issues : [];
    const problems = locateIssues(text, [...serverIssues, ...rejected]);
    const warnings = [
      ...unknownFieldWarnings(text, checked.body, dialect),
      ...locateIssues(
        text,
        serverWarnings?.filter(
          (issue) => !isRejected(issue) && !(keepsBraces && isAboutLiteralBraces(issue)),
        ) ?? [],
      ),
    ]
      .sort((one, other) => one.from - other.from)
      .slice(0, warningsMax);
    return problems.length + warnings.length === 0 ? emptyReport : { text, problems, warnings };
  }, [text, checked, dialect, isFetching, error, serverWarnings, keepsBraces]);
  if (report !== undefined) last.current = report;
  return last.current;
}

/**
 * The note that the request sets itself. The last one is kept while the text is not valid, so that
 * the field does not flicker while the user types.
 */
function useOwnNote(checked: CheckedText): string | undefined {
  const last = useRef<string>(undefined);
  if (checked.kind !== 'invalid')
    last.current = checked.kind === 'valid' ? saveOptionsOf(checked.body).note : undefined;
  return last.current;
}

/**
 * Stands in for a slug that is not entered yet; unlikely to exist, so the dry run reports version
 * 1.
 */
const placeholderSlug = '~not-named-yet~';

interface DryRunOptions {
  readonly slug: string | undefined;
  /** Undefined while the text cannot be checked. */
  readonly dialect: Dialect | undefined;
  readonly text: Debounced<string>;
}

/**
 * Asks the server what it would store, and adds the extension, which its response leaves out. The
 * query key has the revision of the text instead of the text itself, which may be megabytes.
 */
function useDryRun({ slug, dialect, text }: DryRunOptions) {
  const { api, workspaceId, may } = useSession();
  return useQuery({
    queryKey: ['dry run', workspaceId, slug, dialect, text.revision],
    enabled: dialect !== undefined,
    placeholderData: keepPreviousData,
    // Results depend only on the key. They are dropped with the page, since they may be large.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    // Nothing else checks this text again once an outage is over.
    refetchInterval: ({ state }: Pick<Query, 'state'>) => isTemporary(state.error) && retryMs,
    queryFn: async ({ signal }) => {
      if (dialect === undefined) throw new Error('useDryRun ran without a dialect.');
      const input = {
        params: { slug: slug ?? placeholderSlug },
        query: { dry_run: true, workspace_id: workspaceId },
        // Like the save: a version of an editor does not go live.
        body: new JsonText(may('release') ? text.value : notLive(text.value)),
      };
      const { content } = await api.call(`POST /presets/:slug${dialectPaths[dialect]}`, input, { signal });
      return { ...content, presetd: savedExtension(text.value) };
    },
  });
}

const retryMs = 5_000;

function notLive(text: string): string {
  return withSaveOptions(text, parseExactJson(text) as JsonObject, { goesLive: false });
}

/** The extension that a version saves. Expects a request that the server has accepted. */
function savedExtension(text: string): PresetVersionDetails['presetd'] {
  const { presetd } = parseExactJson(text) as { readonly presetd?: ExtensionRequest | null };
  const { designate: _, ...extension } = presetd ?? {};
  return Object.keys(extension).length === 0 ? null : extension;
}
