/**
 * The form behind "New preset".
 *
 * It starts from the stored draft, if there is one, and is checked as the user types: first locally,
 * then by a dry run. Edits are saved as a draft until the preset is. A preset that exists already is
 * never changed: its next version is written in its workbench.
 */

import { type FormEvent, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { useLocation } from 'wouter';
import { isStatus } from '../../api/api-error.ts';
import { fetchPreset } from '../../api/presets.ts';
import { useSession } from '../../api/session.ts';
import { Button, ButtonLink } from '../../components/button.tsx';
import type { EditorHandle } from '../../components/editor/text-editor.tsx';
import { submitOnCtrlEnter } from '../../components/fields.tsx';
import { ErrorNotice, Notice } from '../../components/notice.tsx';
import { Page } from '../../components/page.tsx';
import { useToast } from '../../components/toasts.tsx';
import { presetPath } from '../preset/preset-links.ts';
import { handOverDraft, syncedName } from '../workbench/server-draft.ts';
import styles from './capture.module.css';
import { CapturePreview, describeReport } from './capture-preview.tsx';
import { type Draft, draftName as draftNameOf, loadDraft, saveDraft, useDraftAutosave } from './drafts.ts';
import { NoteField, SlugAndFormat, SlugTakenNotice } from './new-preset-fields.tsx';
import { RequestEditor } from './request-editor.tsx';
import { type Capture, useCapture } from './use-capture.ts';
import { useCreatePreset } from './use-submit-capture.ts';

const empty: Draft = { text: '', slug: '' };

export function NewPresetForm({ draftName }: { readonly draftName: string }) {
  const [start] = useState(() => loadDraft(draftName) ?? empty);
  const [isRestored, setIsRestored] = useState(start !== empty);
  const capture = useCapture(start);
  const { draft, version, report } = capture;
  const { text, slug } = draft;
  const isChanged = text !== '' || slug !== '' || draft.note !== undefined;
  const discardDraft = useDraftAutosave(draftName, draft, isChanged);
  const saving = useCreatePreset(discardDraft);
  const [hasTriedToSave, setHasTriedToSave] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const editor = useRef<EditorHandle>(null);
  const showToast = useToast();
  const session = useSession();
  const [, navigate] = useLocation();

  /** The form is frozen while a save is in flight: an edit would be lost when the page moves on. */
  function change(changed: Partial<Draft>) {
    if (saving.isPending) return;
    if ('slug' in changed) saving.reset();
    capture.change(changed);
  }
  function save() {
    if (saving.isPending) return;
    // Synchronously, so that the invalid field is already marked and can be focused below.
    flushSync(() => setHasTriedToSave(true));
    const blocker = saving.save(draft, report);
    if (blocker?.in === 'text') editor.current?.goTo(blocker.offset);
    else if (blocker) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }
  function reset() {
    replaceAll(empty);
    showToast('Draft discarded', () => replaceAll(draft));
  }
  function replaceAll(by: Draft) {
    // Undo was pressed on another page: store the draft, and this page opens with it.
    if (editor.current === null) return void saveDraft(draftName, by);
    setIsRestored(by !== empty);
    const { slug, note, dialect } = by;
    change({ slug, note, dialect });
    editor.current.replaceText(by.text);
  }
  /** Returns false if that would replace a text that exists nowhere else. */
  async function continueInWorkbench(): Promise<boolean> {
    const { api, workspaceId, account } = session;
    // The slug may be an alias.
    const { preset } = await fetchPreset(api, workspaceId, slug);
    const synced = syncedName(account.id, preset.id);
    const handedOver = { ...draft, slug: preset.slug };
    if (!handOverDraft(draftNameOf(session, preset.slug), synced, handedOver)) return false;
    discardDraft();
    navigate(presetPath(preset.slug));
    return true;
  }

  const isConflict = isStatus(saving.error, 412);
  // The dry run of a free slug reports version 1; anything higher belongs to an existing preset.
  const isTaken = isConflict || (version !== undefined && version > 1);
  return (
    <Page title="New preset" actions={<ButtonLink href="/presets">Cancel</ButtonLink>}>
      <form
        ref={form}
        className={styles.layout}
        noValidate
        onSubmit={(event: FormEvent) => {
          event.preventDefault();
          save();
        }}
        onKeyDown={submitOnCtrlEnter}
      >
        <div className="stack-3">
          {isRestored && <DraftNotice onDiscard={reset} />}
          <SlugAndFormat {...capture} change={change} hasTriedToSave={hasTriedToSave} />
          {isTaken && (
            <SlugTakenNotice key={slug} slug={slug} isError={isConflict} onContinue={continueInWorkbench} />
          )}
          <RequestEditor
            editor={editor}
            text={text}
            isMissing={hasTriedToSave && text.trim() === ''}
            isReadOnly={saving.isPending}
            report={report}
            onChange={(typed) => change({ text: typed })}
          />
          <NoteField {...capture} change={change} />
          {saving.error && !isConflict && (
            <ErrorNotice
              error={saving.error}
              title={`${isStatus(saving.error, 0) ? 'Could not confirm that it was saved' : 'Not saved'}. Your text is still here.`}
            />
          )}
          <SaveBar capture={capture} isSaving={saving.isPending} />
        </div>
        <CapturePreview {...capture} onGoTo={(offset) => editor.current?.goTo(offset)} />
      </form>
    </Page>
  );
}

/** Says why the form is not empty. */
function DraftNotice({ onDiscard }: { readonly onDiscard: () => void }) {
  return (
    <Notice
      actions={
        <Button isSmall onClick={onDiscard}>
          Discard draft
        </Button>
      }
    >
      Unsaved draft restored.
    </Notice>
  );
}

interface SaveBarProps {
  readonly capture: Capture;
  readonly isSaving: boolean;
}

/** The save button, and the result of the latest check. */
function SaveBar({ capture, isSaving }: SaveBarProps) {
  return (
    <div className={styles.footer}>
      <Button type="submit" variant="primary" isBusy={isSaving}>
        {isSaving ? 'Saving…' : 'Create preset'}
      </Button>
      <span role="status" className={toneOf(capture)}>
        {statusOf(capture)}
      </span>
    </div>
  );
}

/** Empty while a check is running, so that screen readers do not announce it at every keystroke. */
function statusOf({ dialect, isChecking, report, dryRun }: Capture): string {
  if (report.problems.length > 0) return describeReport(report);
  const isAccepted = dialect !== undefined && !isChecking && dryRun.isSuccess && !dryRun.isPlaceholderData;
  if (!isAccepted) return '';
  return report.warnings.length > 0 ? describeReport(report) : 'No problems';
}

/** The color follows the worst kind of problem. */
function toneOf({ report }: Capture): string | undefined {
  if (report.problems.length > 0) return styles.problems;
  return report.warnings.length > 0 ? styles.warnings : 'muted';
}
