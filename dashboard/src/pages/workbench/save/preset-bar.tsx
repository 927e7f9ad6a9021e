import { useEffect } from 'react';
import { useLocation } from 'wouter';
import { presetPath } from '../../../components/preset-links.ts';
import type { DraftBody, DraftSender } from '../../../features/drafts/draft-sender.ts';
import { useServerDraft } from '../../../features/drafts/server-draft.ts';
import { usePresetActions } from '../../../features/preset-changes/use-preset-actions.ts';
import type { BarProps } from '../open-workbench.tsx';
import { useWorkbench } from '../workbench.ts';
import { DraftConflict } from './draft-conflict.tsx';
import { SaveBar } from './save-bar.tsx';

interface PresetBarProps extends BarProps {
  readonly sender: DraftSender;
  /** The version that the URL names. */
  readonly from: number | undefined;
}

/** The bar of a preset that exists: its next version, whose draft is also on the server. */
export function PresetBar({ sender, from, ...bar }: PresetBarProps) {
  const { capture, isChanged, version, showVersion, replaceDraft, offerUndo, isReplacing } = bar;
  const { slug, dialect } = useWorkbench();
  useStartInUrl(slug, from, version.version);
  const { snapshot } = usePresetActions();
  const { text } = capture.draft;
  const draftState = useServerDraft(
    sender,
    isChanged ? { text, dialect, base_version: version.version } : undefined,
  );
  return (
    <SaveBar
      capture={capture}
      isChanged={isChanged}
      onReveal={bar.onReveal}
      draftState={draftState}
      onSaved={showVersion}
      onDiscard={() => void replaceDraft('Draft discarded', snapshot.preset.designated_version.version)}
      isDiscarding={isReplacing}
      onRestoreDiscarded={(earlier) => void replaceDraft('Draft restored', earlier.from, earlier)}
      onRestore={showVersion}
    >
      {draftState.kind === 'conflict' && (
        <DraftConflict
          other={draftState.other}
          isChanged={isChanged}
          isBusy={isReplacing}
          onReplace={(other) => {
            sender.replaceOther();
            if (!isChanged && other !== undefined) offerUndo('Draft discarded', textOf(other));
          }}
          onTake={(other) =>
            void replaceDraft('Switched to the other draft', other.base_version, textOf(other))
          }
        />
      )}
    </SaveBar>
  );
}

/** The URL names the version while the workbench is based on it, so that a reload is right. */
function useStartInUrl(slug: string, from: number | undefined, base: number): void {
  const [, navigate] = useLocation();
  const isOutdated = from !== undefined && from !== base;
  useEffect(() => {
    if (isOutdated) navigate(presetPath(slug), { replace: true });
  }, [slug, isOutdated, navigate]);
}

function textOf({ text, dialect, base_version: from }: DraftBody) {
  return { text, dialect: dialect ?? undefined, from };
}
