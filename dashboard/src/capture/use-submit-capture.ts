import { useLocation } from 'wouter';
import type { Dialect } from '../../../src/core/presets/preset.ts';
import { recognizeDialect } from '../../../src/dialects/recognize-dialect.ts';
import { versionPath } from '../preset/preset-links.ts';
import { useToast } from '../ui/toasts.tsx';
import { checkRequestText } from './check-request-text.ts';
import type { Draft } from './drafts.ts';
import { slugProblem } from './slug-field.tsx';
import type { Report } from './use-capture.ts';
import { useSaveVersion } from './use-save-version.ts';

/** What prevents saving, and so where to move the focus. */
export type Blocker = { readonly in: 'text'; readonly offset: number } | { readonly in: 'fields' };

/** Validates and saves the form, then navigates to the new version. */
export function useSubmitCapture(discardDraft: () => void) {
  const showToast = useToast();
  // Also runs after unmounting: the draft must go, and the user should know that it was saved.
  const saving = useSaveVersion(({ designated_version: { version } }) => {
    discardDraft();
    showToast(`Version ${version} is live`);
  });
  const [, navigate] = useLocation();
  return {
    error: saving.error,
    isPending: saving.isPending,
    reset: saving.reset,
    /** Returns what prevents saving; undefined if the request was sent. */
    save(draft: Draft, report: Report, etag = draft.before?.etag): Blocker | undefined {
      const { slug, text } = draft;
      const result = validate(draft, report);
      if ('in' in result) return result;
      saving.mutate(
        { slug, dialect: result.dialect, text, etag },
        {
          // Not called after unmounting, so users who went elsewhere stay there.
          onSuccess: ({ designated_version: { version } }) => navigate(versionPath(slug, version)),
        },
      );
    },
  };
}

/** Validates the current text, which may be newer than the last report. */
function validate(draft: Draft, report: Report): Blocker | { readonly dialect: Dialect } {
  const checked = checkRequestText(draft.text);
  if (checked.kind === 'empty') return { in: 'text', offset: 0 };
  if (checked.kind === 'invalid') return { in: 'text', offset: checked.problem.from };
  const dialect = draft.dialect ?? recognizeDialect(checked.body);
  if (dialect === undefined || slugProblem(draft.slug) !== undefined) return { in: 'fields' };
  const [problem] = report.text === draft.text ? report.problems : [];
  return problem === undefined ? { dialect } : { in: 'text', offset: problem.from };
}
