import { useMemo, useRef, useState } from 'react';
import { recognizeDialect } from '../../../src/dialects/recognize-dialect.ts';
import { ApiError } from '../api/api-error.ts';
import { useSettled } from '../parts/use-settled.ts';
import { type CheckedText, checkRequestText, type TextProblem } from './check-request-text.ts';
import type { Draft } from './drafts.ts';
import { type PlacedIssue, placeIssues } from './place-issues.ts';
import { problemOf } from './slug-field.tsx';
import { useDryRun } from './use-dry-run.ts';

/** What is wrong with a text, as far as it is known. */
export interface Report {
  readonly text: string;
  readonly problems: readonly (TextProblem | PlacedIssue)[];
}

const pauseMs = 300;

export type Capture = ReturnType<typeof useCapture>;

/** What is being written, and what is known of it: first here, then from the server. */
export function useCapture(start: Draft) {
  const [draft, setDraft] = useState(start);
  const text = useSettled(draft.text, pauseMs);
  const slug = useSettled(problemOf(draft.slug) === undefined ? draft.slug : undefined, pauseMs);
  const checked = useMemo(() => checkRequestText(text.value), [text]);
  const recognized = useMemo(
    () => (checked.kind === 'fine' ? recognizeDialect(checked.body) : undefined),
    [checked],
  );
  const dialect = checked.kind === 'fine' ? (draft.dialect ?? recognized) : undefined;
  const dryRun = useDryRun({ slug: slug.value, dialect, text });
  const report = useReport(text.value, checked, dryRun.isFetching, dryRun.error);
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

const nothingWrong: Report = { text: '', problems: [] };

/** While the server is asked, what it said last still stands: marks that come and go with every key help nobody. */
function useReport(text: string, checked: CheckedText, isAsking: boolean, error: unknown): Report {
  const last = useRef(nothingWrong);
  const report = useMemo(() => {
    if (checked.kind === 'wrong') return { text, problems: [checked.problem] };
    if (isAsking) return undefined;
    const issues = error instanceof ApiError ? error.issues : [];
    return issues.length === 0 ? nothingWrong : { text, problems: placeIssues(text, issues) };
  }, [text, checked, isAsking, error]);
  if (report !== undefined) last.current = report;
  return last.current;
}
