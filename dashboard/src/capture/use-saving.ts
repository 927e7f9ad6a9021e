import { useLocation } from 'wouter';
import type { Dialect } from '../../../src/core/preset.ts';
import { recognizeDialect } from '../../../src/dialects/recognize-dialect.ts';
import { useToast } from '../parts/toasts.tsx';
import { versionPath } from '../preset/version-address.ts';
import { checkRequestText } from './check-request-text.ts';
import type { Draft } from './drafts.ts';
import { problemOf } from './slug-field.tsx';
import type { Report } from './use-capture.ts';
import { useSaveVersion } from './use-save-version.ts';

/** Where a person has to look before it can be saved. */
export type Obstacle = { readonly in: 'text'; readonly offset: number } | { readonly in: 'fields' };

/** Saves what is written, and goes on to the version that it became. */
export function useSaving(endDraft: () => void) {
  const tell = useToast();
  const saving = useSaveVersion(({ designated_version: { version } }) => {
    endDraft();
    tell(`Version ${version} is live`);
  });
  const [, navigate] = useLocation();
  return {
    error: saving.error,
    isPending: saving.isPending,
    reset: saving.reset,
    /** Without an answer it was sent. What is known to be refused is not. */
    save(draft: Draft, report: Report, etag = draft.before?.etag): Obstacle | undefined {
      const { slug, text } = draft;
      const ready = readiness(draft, report);
      if ('in' in ready) return ready;
      saving.mutate(
        { slug, dialect: ready.dialect, text, etag },
        {
          // Not called once the page was left: whoever went elsewhere stays there.
          onSuccess: ({ designated_version: { version } }) => navigate(versionPath(slug, version)),
        },
      );
    },
  };
}

/** Of the text as it is now, which may have been changed since it was looked at last. */
function readiness(draft: Draft, report: Report): Obstacle | { readonly dialect: Dialect } {
  const checked = checkRequestText(draft.text);
  if (checked.kind === 'empty') return { in: 'text', offset: 0 };
  if (checked.kind === 'wrong') return { in: 'text', offset: checked.problem.from };
  const dialect = draft.dialect ?? recognizeDialect(checked.body);
  if (dialect === undefined || problemOf(draft.slug) !== undefined) return { in: 'fields' };
  const [problem] = report.text === draft.text ? report.problems : [];
  return problem === undefined ? { dialect } : { in: 'text', offset: problem.from };
}
