import { findUpstreamIssues } from '../../../../../src/dialects/presets/upstream-issues.ts';
import { useToast } from '../../../components/toasts.tsx';
import type { Capture } from '../../../features/capture/use-capture.ts';
import { locateIssues } from '../../../features/request/locate-issues.ts';
import { useDraft, useIncompleteField, useWorkbench } from '../workbench.ts';
import { describeProblem } from './problem-text.ts';

/** Why the draft cannot be saved. `onReveal` shows a place in the request. */
export function useDraftProblem(capture: Capture, onReveal: (offset: number) => void) {
  const { incomplete, dialect } = useWorkbench();
  const { text: draftText, checked, body } = useDraft((draft) => draft);
  const incompleteField = useIncompleteField();
  const showToast = useToast();
  // The text may be newer than the last report.
  const [problem] =
    checked.kind === 'invalid'
      ? [checked.problem]
      : [
          ...capture.report.problems,
          ...locateIssues(draftText, body === undefined ? [] : findUpstreamIssues(body, dialect).rejected),
        ];
  const text = problem && describeProblem(problem, checked.kind === 'valid' ? checked.body : undefined);
  return {
    canSave: checked.kind === 'valid' && problem === undefined && incompleteField === undefined,
    /** The first problem of the request. */
    text,
    /** The first field whose text is not in the draft yet. */
    incompleteField,
    discardIncomplete: () =>
      incomplete.set(new Map([...incomplete.get()].filter(([, field]) => field !== incompleteField))),
    show() {
      if (problem === undefined && incompleteField !== undefined)
        return showToast(`Cannot save: ${incompleteField.label} is incomplete`);
      showToast(`Cannot save: ${text?.replace(/\.$/, '') ?? 'the request is empty'}`);
      onReveal(problem?.from ?? 0);
    },
  };
}
