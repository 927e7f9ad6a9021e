import { useLocation } from 'wouter';
import { useSession } from '../../../api/session.ts';
import { presetPath } from '../../../components/preset-links.ts';
import { useToast } from '../../../components/toasts.tsx';
import { useSaveVersion } from '../../../features/capture/save-version.ts';
import { draftName, loadDraft, saveDraft } from '../../../features/drafts/drafts.ts';
import { importRequest } from '../../../features/request/import-request.ts';
import { emptyRunState, runName } from '../../../features/runs/run-state.ts';
import { handOverRuns, runSessionOf, useRunSession } from '../run/run-session.ts';
import { useWorkbench } from '../workbench.ts';

/** Saves the draft as version 1, then opens the workbench of the preset, with the runs so far. */
export function useCreatePreset(forgetDraft: () => void) {
  const { home, draft, dialect } = useWorkbench();
  const session = useSession();
  const { api, workspaceId, account } = session;
  const runs = useRunSession();
  const showToast = useToast();
  const [, navigate] = useLocation();

  // Also runs after unmounting: the draft must go, and the user should know that it was saved.
  const saving = useSaveVersion(({ presetId }) => {
    if (presetId !== null)
      handOverRuns(runs, runSessionOf(api, workspaceId, runName(account.id, presetId), true));
    forgetDraft();
    // A draft that was changed since keeps its conversation.
    if (loadDraft(home.name) === undefined) {
      runs.clear();
      runs.change(emptyRunState(true));
    }
    showToast('Preset created. Version 1 is live');
  });
  return {
    error: saving.error,
    isPending: saving.isPending,
    reset: saving.reset,
    /** `text` is that of the draft, with its note. */
    create(slug: string, text: string) {
      const typed = draft.get().text;
      // A text that was typed as JSON may still have its conversation.
      const { messages } = runs.state.get();
      if (messages.length === 0) runs.change({ messages: importRequest(typed)?.messages ?? [] });
      saving.mutate(
        { slug, dialect, text, etag: undefined },
        {
          // Not called after unmounting, so users who went elsewhere stay there.
          onSuccess: ({ presetId }) => {
            const newer = draft.get().text;
            if (presetId !== null && newer !== typed)
              saveDraft(draftName(session, presetId), { text: newer, slug, dialect, from: 1 });
            navigate(presetPath(slug));
          },
        },
      );
    },
  };
}
