import { useLocation } from 'wouter';
import type { Issue } from '../../../../src/core/errors.ts';
import { findUpstreamIssues } from '../../../../src/dialects/presets/upstream-issues.ts';
import { recognizeDialect } from '../../../../src/dialects/recognize-dialect.ts';
import { useSession } from '../../api/session.ts';
import { presetPath } from '../../components/preset-links.ts';
import { useToast } from '../../components/toasts.tsx';
import { noteLength, saveOptionsOf, withSaveOptions } from '../../features/capture/save-options.ts';
import { useSaveVersion, type VersionToSave } from '../../features/capture/save-version.ts';
import type { Report } from '../../features/capture/use-capture.ts';
import type { Draft } from '../../features/drafts/drafts.ts';
import { checkRequestText, slugProblem } from '../../features/request/check-request.ts';
import { importRequest } from '../../features/request/import-request.ts';
import { locateIssues } from '../../features/request/locate-issues.ts';
import { emptyRunState, runName, storeRunState } from '../../features/runs/run-state.ts';

/** The reason why saving is blocked, and so where to move the focus, or what to ask. */
type Blocker =
  | { readonly in: 'text'; readonly offset: number }
  | { readonly in: 'fields' }
  | { readonly in: 'doubts'; readonly issues: readonly Issue[] };

/**
 * Validates and saves the form for a new preset, then opens its workbench. The conversation of the
 * request waits there to be run.
 */
export function useCreatePreset(discardDraft: () => void) {
  const showToast = useToast();
  const { account } = useSession();
  // Also runs after unmounting: the draft must go, and the user should know that it was saved.
  const saving = useSaveVersion(() => {
    discardDraft();
    showToast('Preset created. Version 1 is live');
  });
  const [, navigate] = useLocation();
  return {
    error: saving.error,
    isPending: saving.isPending,
    reset: saving.reset,
    /**
     * Returns what prevents saving; undefined if the request was sent. With `isConfirmed`, it also
     * saves what upstreams are likely to reject.
     */
    save(draft: Draft, report: Report, isConfirmed = false): Blocker | undefined {
      const { slug, text } = draft;
      const result = validate(draft, report, isConfirmed);
      if ('in' in result) return result;
      saving.mutate(
        { slug, ...result, etag: undefined },
        {
          // Not called after unmounting, so users who went elsewhere stay there.
          onSuccess: ({ presetId }) => {
            const messages = importRequest(text)?.messages ?? [];
            if (presetId !== null && messages.length > 0)
              storeRunState(runName(account.id, presetId), { ...emptyRunState(true), messages });
            navigate(presetPath(slug));
          },
        },
      );
    },
  };
}

/** Validates the current text, which may be newer than the last report. */
function validate(
  draft: Draft,
  report: Report,
  isConfirmed: boolean,
): Blocker | Pick<VersionToSave, 'dialect' | 'text'> {
  const checked = checkRequestText(draft.text);
  if (checked.kind === 'empty') return { in: 'text', offset: 0 };
  if (checked.kind === 'invalid') return { in: 'text', offset: checked.problem.from };
  const dialect = draft.dialect ?? recognizeDialect(checked.body);
  if (dialect === undefined || slugProblem(draft.slug) !== undefined) return { in: 'fields' };
  const { rejected, doubtful } = findUpstreamIssues(checked.body, dialect);
  const reported = report.text === draft.text ? report.problems : [];
  const [problem] = [...reported, ...locateIssues(draft.text, rejected)];
  if (problem !== undefined) return { in: 'text', offset: problem.from };
  const { note = '', text } = draft;
  if (noteLength(note).error !== undefined && saveOptionsOf(checked.body).note === undefined)
    return { in: 'fields' };
  if (doubtful.length > 0 && !isConfirmed) return { in: 'doubts', issues: doubtful };
  return { dialect, text: withSaveOptions(text, checked.body, { note }) };
}
