import { useMutation } from '@tanstack/react-query';
import { Link, useLocation } from 'wouter';
import { fetchPreset } from '../../../api/presets.ts';
import { useSession } from '../../../api/session.ts';
import { Button } from '../../../components/button.tsx';
import { messageOf, Notice } from '../../../components/notice.tsx';
import { presetPath } from '../../../components/preset-links.ts';
import type { Capture } from '../../../features/capture/use-capture.ts';
import { draftName } from '../../../features/drafts/drafts.ts';
import { draftSender, handOverDraft } from '../../../features/drafts/server-draft.ts';
import { runName } from '../../../features/runs/run-state.ts';
import { handOverRuns, runSessionOf, useRunSession } from '../run/run-session.ts';
import { useWorkbench } from '../workbench.ts';

interface SlugTakenNoticeProps {
  readonly capture: Capture;
  /** Whether a save has already failed because of it. */
  readonly isError: boolean;
  readonly forgetDraft: () => void;
}

/** Creating a preset never adds a version to an existing one. Its workbench does. */
export function SlugTakenNotice({ capture, isError, forgetDraft }: SlugTakenNoticeProps) {
  const { slug } = capture.draft;
  const { dialect } = useWorkbench();
  const session = useSession();
  const runs = useRunSession();
  const [, navigate] = useLocation();
  /** Returns false if that would replace a text that exists nowhere else. */
  async function continueInWorkbench(): Promise<boolean> {
    const { api, workspaceId, account } = session;
    // The slug may be an alias.
    const { preset } = await fetchPreset(api, workspaceId, slug);
    const handedOver = { ...capture.draft, slug: preset.slug, dialect };
    if (!handOverDraft(draftSender(session, preset), draftName(session, preset.id), handedOver)) return false;
    handOverRuns(runs, runSessionOf(api, workspaceId, runName(account.id, preset.id), true));
    forgetDraft();
    navigate(presetPath(preset.slug));
    return true;
  }
  const opening = useMutation({ mutationFn: continueInWorkbench });
  return (
    <Notice
      kind={isError ? 'danger' : 'warning'}
      title={`${slug} already exists`}
      actions={
        <Button isSmall isBusy={opening.isPending} onClick={() => opening.mutate()}>
          Continue in its workbench
        </Button>
      }
    >
      {opening.error ? (
        `Could not open it: ${messageOf(opening.error)}`
      ) : opening.data === false ? (
        <>
          Your draft in its <Link href={presetPath(slug)}>workbench</Link> has unsaved changes. Save or
          discard it first.
        </>
      ) : (
        'Choose another slug, or continue in the workbench of the preset: this request becomes your draft.'
      )}
    </Notice>
  );
}
