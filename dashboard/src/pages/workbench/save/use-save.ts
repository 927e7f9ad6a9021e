import { useState } from 'react';
import { findUpstreamIssues } from '../../../../../src/dialects/presets/upstream-issues.ts';
import { isStatus } from '../../../api/api-error.ts';
import { type PresetSnapshot, useLabels } from '../../../api/presets.ts';
import { messageOf } from '../../../components/notice.tsx';
import { useToast } from '../../../components/toasts.tsx';
import { saveOptionsOf } from '../../../features/capture/save-options.ts';
import { type SavedVersion, useSaveVersion } from '../../../features/capture/save-version.ts';
import type { Capture } from '../../../features/capture/use-capture.ts';
import type { PlacedLabel } from '../../../features/preset-changes/move-labels.ts';
import type { BasedDraft, Offer, Release } from '../../../features/preset-changes/undo-offers.ts';
import { usePresetActions } from '../../../features/preset-changes/use-preset-actions.ts';
import { useRelease } from '../../../features/preset-changes/use-release.ts';
import type { CheckedText } from '../../../features/request/check-request.ts';
import { changeField, setField } from '../../../features/request/request-text.ts';
import { useDraft, useWorkbench } from '../workbench.ts';

/** The draft to save, and the workbench that shows what became of it. */
export interface SaveTargets {
  readonly capture: Capture;
  /** Whether the draft differs from the version it started from. */
  readonly isChanged: boolean;
  /** Continues with the version that was saved. */
  readonly onSaved: (version: number) => Promise<unknown>;
  /**
   * Puts a draft back that was saved, based on the version it started from. Returns false if the
   * user has typed meanwhile, which is kept.
   */
  readonly onRestore: (base: number, draft: BasedDraft) => Promise<boolean>;
}

interface SentSave {
  /** The state of the preset that the save is conditional on. */
  readonly seen: PresetSnapshot;
  /** To be moved to the new version, and where they were when the user chose them. */
  readonly labels: readonly PlacedLabel[];
}

/** Saves the draft as a version, after a dialog with its note and the labels that move along. */
export function useSave({ capture, onSaved }: Pick<SaveTargets, 'capture' | 'onSaved'>) {
  const { slug, base, dialect } = useWorkbench();
  const { snapshot } = usePresetActions();
  const { text, checked, body } = useDraft((draft) => draft);
  const showToast = useToast();
  const { move, offerUndo } = useRelease(snapshot);
  const { data: { data: labels } = { data: [] } } = useLabels(slug, snapshot.etag);
  const live = snapshot.preset.designated_version.version;
  const [dialog, setDialog] = useState<'save' | 'release'>();
  const [chosenLabels, setChosenLabels] = useState<readonly PlacedLabel[]>([]);
  // Those of the live version, and those of the version that was live when the user chose them.
  const offeredLabels = labels.filter(
    ({ label, version }) =>
      version === live || chosenLabels.some((chosen) => chosen.label === label && chosen.version === version),
  );
  // The state that the last save was based on; the page may load a newer one before it ends.
  const [sent, setSent] = useState<SentSave>({ seen: snapshot, labels: [] });
  const note = capture.draft.note ?? noteIn(checked);
  const saving = useSaveVersion(showSaved);

  /**
   * The user has seen the state on the page: the dialog compares with it, and names newer versions.
   * A repeated save keeps the state of the first one, which may have succeeded without a response.
   */
  function save(seen = isStatus(saving.error, 0) ? sent.seen : snapshot) {
    if (checked.kind !== 'valid') return;
    const isRelease = dialog === 'release';
    setSent({ seen, labels: isRelease ? chosenLabels : [] });
    saving.mutate({ slug, dialect, text: requestToSave(text, note, isRelease), etag: seen.etag });
  }

  /** Labels are chosen for one release; the note is kept for the next attempt. */
  function closeDialog() {
    setDialog(undefined);
    setChosenLabels([]);
    saving.reset();
  }

  /**
   * Part of the save: the dialog stays busy until the workbench shows the new version. It must not
   * throw, since the version is saved by then.
   */
  async function showSaved({ version, live: liveNow, etag }: SavedVersion) {
    const moves = sent.labels.map(({ label, version: from }) => ({ label, from, to: version }));
    const { moved, problem } = await move(moves, etag);
    const liveBefore = version === liveNow ? sent.seen.preset.designated_version.version : undefined;
    offerUndo({ version, liveBefore, labels: moved, draft: { text, dialect, note, from: base } });
    if (problem !== undefined) showToast(problem);
    await onSaved(version).catch((error: unknown) =>
      showToast(`Saved version ${version}, but could not load it: ${messageOf(error)}`),
    );
    setDialog(undefined);
    setChosenLabels([]);
  }

  return {
    /** Undefined if it is closed. */
    dialog,
    open: setDialog,
    close: closeDialog,
    note,
    /** Parts that upstreams are likely to reject. */
    doubts: dialog === undefined || body === undefined ? [] : findUpstreamIssues(body, dialect).doubtful,
    changeNote: (typed: string) => capture.change({ note: typed }),
    /** Labels that can move along, and the names of those that do. */
    labels: offeredLabels,
    movedLabels: chosenLabels.map(({ label }) => label),
    moveLabels: (names: readonly string[]) => {
      const known = [...chosenLabels, ...offeredLabels];
      setChosenLabels(names.flatMap((name) => known.find(({ label }) => label === name) ?? []));
    },
    save,
    isPending: saving.isPending,
    error: saving.error,
    /** The state that the save was based on, if somebody has changed it since. */
    outdated: isStatus(saving.error, 412) ? sent.seen : undefined,
  };
}

/** Undoes the last save or release of the preset, within ten minutes. */
export function useUndoSave({ isChanged, onRestore }: Pick<SaveTargets, 'isChanged' | 'onRestore'>) {
  const { draft, incomplete } = useWorkbench();
  const { snapshot } = usePresetActions();
  const { recent: release, undo, isUndoing } = useRelease(snapshot);
  const undoRelease = (undone: Offer<Release>) => {
    const textBefore = draft.get().text;
    void undo(undone, async () => {
      // Keep a newer draft that the user has started since.
      const isNewer = isChanged || draft.get().text !== textBefore || incomplete.get().size > 0;
      return undone.draft !== undefined && !isNewer && onRestore(undone.draft.from, undone.draft);
    });
  };
  return { release, undoRelease, isUndoing };
}

/** A pasted request may have one. */
function noteIn(checked: CheckedText): string {
  return (checked.kind === 'valid' ? saveOptionsOf(checked.body).note : undefined) ?? '';
}

/** The dialog overrides both fields of the request. */
function requestToSave(text: string, note: string, isRelease: boolean): string {
  const designated = setField(text, ['presetd', 'designate'], isRelease);
  return changeField(designated, ['presetd', 'note'], note.trim() === '' ? undefined : note.trim());
}
