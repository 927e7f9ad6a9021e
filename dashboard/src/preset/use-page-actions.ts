import { useState } from 'react';
import { isStatus } from '../api/api-error.ts';
import type { SeenPreset } from '../api/presets.ts';
import { messageOf } from '../parts/error-notice.tsx';
import { useToast } from '../parts/toasts.tsx';
import { useSession } from '../session/session.tsx';
import type { PresetAction } from './preset-action.ts';
import type { PresetActions, Question } from './preset-actions.tsx';
import { useGuardedChange } from './use-guarded-change.ts';

/** A question, and the preset as it was when it was asked: what happens to it behind the dialog is not agreed to. */
export interface Asked {
  readonly question: Question;
  readonly seen: SeenPreset;
}

/** What the page of a preset does without a dialog, and which dialog is open. */
export function usePageActions(slug: string, seen: SeenPreset) {
  const { canWrite } = useSession();
  const tell = useToast();
  const [asked, setAsked] = useState<Asked>();
  const [shownVersion, setShownVersion] = useState<number>();
  const { send, isBusy, error, conflict, reset } = useGuardedChange(slug);

  const announce = (action: PresetAction, after: SeenPreset) => {
    const { undo } = action;
    tell(action.told, undo && (() => takeBack(undo, after)));
  };
  // The page may be gone by now, so that it is told where everybody sees it.
  const takeBack = (undo: PresetAction, before: SeenPreset) =>
    void send(undo, before).then(
      () => tell(undo.told),
      (reason: unknown) =>
        tell(
          isStatus(reason, 412)
            ? 'Nothing was undone: somebody else changed the preset meanwhile.'
            : `Nothing was undone. ${messageOf(reason)}`,
        ),
    );
  const perform = (action: PresetAction, before: SeenPreset) =>
    void send(action, before).then(
      (after) => announce(action, after),
      () => undefined,
    );

  const actions: PresetActions = {
    slug,
    seen,
    canChange: canWrite && seen.preset.status !== 'archived',
    isBusy,
    shownVersion: shownVersion ?? seen.preset.designated_version.version,
    setShownVersion,
    act: (action) => perform(action, seen),
    ask: (question) => setAsked({ question, seen }),
    announce,
  };
  return {
    actions,
    asked,
    close: () => setAsked(undefined),
    error,
    conflict,
    dismiss: reset,
    retry: perform,
  };
}
