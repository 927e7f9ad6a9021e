import { useMemo, useRef, useState } from 'react';
import type { Dialect } from '../../../src/core/preset.ts';
import { recognizeDialect } from '../../../src/dialects/recognize-dialect.ts';
import { ApiError } from '../api/api-error.ts';
import { useDebounced } from '../parts/use-debounced.ts';
import { type CheckedText, checkRequestText, type TextProblem } from './check-request-text.ts';
import type { Draft } from './drafts.ts';
import { type PlacedIssue, placeIssues } from './place-issues.ts';
import { problemOf } from './slug-field.tsx';
import { unknownFieldWarnings } from './unknown-field-warnings.ts';
import { useDryRun } from './use-dry-run.ts';

/** What is wrong with a text, as far as it is known. */
export interface Report {
  readonly text: string;
  /** The server refuses the text because of these. */
  readonly problems: readonly (TextProblem | PlacedIssue)[];
  /** The server accepts these, and ignores the fields. */
  readonly warnings: readonly PlacedIssue[];
}

const pauseMs = 300;

export type Capture = ReturnType<typeof useCapture>;

/** What is being written, and what is known of it: first here, then from the server. */
export function useCapture(start: Draft) {
  const [draft, setDraft] = useState(start);
  const text = useDebounced(draft.text, pauseMs);
  const slug = useDebounced(problemOf(draft.slug) === undefined ? draft.slug : undefined, pauseMs);
  const checked = useMemo(() => checkRequestText(text.value), [text]);
  const recognized = useMemo(
    () => (checked.kind === 'fine' ? recognizeDialect(checked.body) : undefined),
    [checked],
  );
  const dialect = checked.kind === 'fine' ? (draft.dialect ?? recognized) : undefined;
  const dryRun = useDryRun({ slug: slug.value, dialect, text });
  const report = useReport({
    text: text.value,
    checked,
    dialect,
    isAsking: dryRun.isFetching,
    error: dryRun.error,
  });
  return {
    draft,
    change: (changed: Partial<Draft>) => setDraft((before) => ({ ...before, ...changed })),
    checked,
    recognized,
    dialect,
    dryRun,
    report,
    /** Of the slug as it is written, and not of one that was written a moment ago. */
    version:
      slug.value !== undefined && slug.value === draft.slug && !dryRun.isPlaceholderData
        ? dryRun.data?.data.designated_version.version
        : undefined,
    /** What is shown may not be about what is written any more. */
    isChecking: text.value !== draft.text || dryRun.isFetching,
  };
}

const nothingWrong: Report = { text: '', problems: [], warnings: [] };

interface ReportOptions {
  readonly text: string;
  readonly checked: CheckedText;
  readonly dialect: Dialect | undefined;
  readonly isAsking: boolean;
  readonly error: unknown;
}

/** While the server is asked, what it said last still stands: marks that come and go with every key help nobody. */
function useReport({ text, checked, dialect, isAsking, error }: ReportOptions): Report {
  const last = useRef(nothingWrong);
  const report = useMemo(() => {
    if (checked.kind === 'wrong') return { text, problems: [checked.problem], warnings: [] };
    if (isAsking) return undefined;
    if (checked.kind === 'empty' || dialect === undefined) return nothingWrong;
    const problems = placeIssues(text, error instanceof ApiError ? error.issues : []);
    const warnings = unknownFieldWarnings(text, checked.body, dialect);
    return problems.length + warnings.length === 0 ? nothingWrong : { text, problems, warnings };
  }, [text, checked, dialect, isAsking, error]);
  if (report !== undefined) last.current = report;
  return last.current;
}
