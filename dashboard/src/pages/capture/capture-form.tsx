/**
 * The form behind "New preset" and "New version".
 *
 * It starts from the stored draft, if there is one, or from `pristine`, and is checked as the user
 * types: first locally, then by a dry run. Edits are saved as a draft until a version is saved.
 * Every save names the preset state the form started from, so a version that someone else saved
 * meanwhile is never replaced unseen.
 */

import { type FormEvent, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { Link } from 'wouter';
import { isStatus } from '../../api/api-error.ts';
import type { PresetSnapshot } from '../../api/presets.ts';
import { Button, ButtonLink } from '../../components/button.tsx';
import type { EditorHandle } from '../../components/editor/text-editor.tsx';
import { submitOnCtrlEnter } from '../../components/fields.tsx';
import { ErrorNotice, Notice } from '../../components/notice.tsx';
import { Page } from '../../components/page.tsx';
import { useToast } from '../../components/toasts.tsx';
import { ConflictDialog } from '../preset/conflict-dialog.tsx';
import { newVersionPath, versionPath } from '../preset/preset-links.ts';
import styles from './capture.module.css';
import { CaptureFields, SaveFields, SlugTakenNotice } from './capture-fields.tsx';
import { CapturePreview, describeReport } from './capture-preview.tsx';
import { type Draft, loadDraft, saveDraft, useDraftAutosave } from './drafts.ts';
import { RequestEditor } from './request-editor.tsx';
import { type Capture, useCapture } from './use-capture.ts';
import { useSubmitCapture } from './use-submit-capture.ts';

interface CaptureFormProps {
  readonly draftName: string;
  /** The initial state without a draft. Resetting the form returns to it. */
  readonly pristine: Draft;
}

export function CaptureForm({ draftName, pristine }: CaptureFormProps) {
  const [start] = useState(() => loadDraft(draftName) ?? pristine);
  const [isRestored, setIsRestored] = useState(start !== pristine);
  const capture = useCapture(start);
  const { draft, version, report } = capture;
  const { text, slug, before } = draft;
  const isEdited = text !== pristine.text || slug !== pristine.slug;
  const isChanged = isEdited || draft.note !== undefined || draft.goesLive !== undefined;
  const discardDraft = useDraftAutosave(draftName, draft, isChanged);
  const saving = useSubmitCapture(discardDraft);
  const [hasTriedToSave, setHasTriedToSave] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const editor = useRef<EditorHandle>(null);
  const showToast = useToast();

  /** The form is frozen while a save is in flight: an edit would be lost when the page moves on. */
  function change(changed: Partial<Draft>) {
    if (saving.isPending) return;
    if ('slug' in changed || 'before' in changed) saving.reset();
    capture.change(changed);
  }
  function save(etag?: string) {
    if (saving.isPending) return;
    // Synchronously, so that the invalid field is already marked and can be focused below.
    flushSync(() => setHasTriedToSave(true));
    const blocker = saving.save(draft, report, etag);
    if (blocker?.in === 'text') editor.current?.goTo(blocker.offset);
    else if (blocker) focusIn(form.current, '[aria-invalid="true"]');
  }
  function reset() {
    replaceAll(pristine);
    showToast('Draft discarded', () => replaceAll(draft));
  }
  function replaceAll(by: Draft) {
    // Undo was pressed on another page: store the draft, and this page opens with it.
    if (editor.current === null) return void saveDraft(draftName, by);
    setIsRestored(by !== pristine);
    const { slug, note, goesLive, dialect, before } = by;
    change({ slug, note, goesLive, dialect, before });
    editor.current.replaceText(by.text);
  }
  function addToExisting(snapshot: PresetSnapshot) {
    flushSync(() => change({ before: snapshot }));
    focusIn(form.current, '[type="submit"]');
  }

  const isConflict = isStatus(saving.error, 412);
  // The dry run of a free slug reports version 1; anything higher belongs to an existing preset.
  const isTaken = before === undefined && (isConflict || (version !== undefined && version > 1));
  return (
    <Page
      title={before === undefined ? 'New preset' : `New version of ${slug}`}
      lead={before && <Lead {...draft} before={before} goesLive={capture.saveOptions.goesLive} />}
      actions={<ButtonLink href={originOf(pristine)}>Cancel</ButtonLink>}
    >
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
          <CaptureFields
            {...capture}
            change={change}
            isSlugFixed={pristine.before !== undefined}
            hasTriedToSave={hasTriedToSave}
          />
          {isTaken && (
            <SlugTakenNotice
              key={slug}
              slug={slug}
              version={version}
              isError={isConflict}
              onAdd={addToExisting}
            />
          )}
          <RequestEditor
            editor={editor}
            text={text}
            isMissing={hasTriedToSave && text.trim() === ''}
            isReadOnly={saving.isPending}
            report={report}
            onChange={(typed) => change({ text: typed })}
          />
          <SaveFields {...capture} change={change} />
          {saving.error && !isConflict && (
            <ErrorNotice
              error={saving.error}
              title={`${isStatus(saving.error, 0) ? 'Could not confirm that it was saved' : 'Not saved'}. Your text is still here.`}
            />
          )}
          <SaveBar capture={capture} isSaving={saving.isPending} />
        </div>
        <CapturePreview
          {...capture}
          slug={slug}
          before={before}
          unchanged={isEdited ? undefined : pristine.from}
          onGoTo={(offset) => editor.current?.goTo(offset)}
        />
      </form>
      {before !== undefined && isConflict && (
        <ConflictDialog
          slug={slug}
          before={before}
          onClose={() => saving.reset()}
          closeLabel="Keep editing"
          onRetry={(now) => {
            change({ before: now });
            save(now.etag);
          }}
        />
      )}
    </Page>
  );
}

interface LeadProps extends Pick<Draft, 'slug' | 'from'> {
  readonly before: PresetSnapshot;
  readonly goesLive: boolean;
}

/** Says what the form started from and what happens to the live version. */
function Lead({ slug, from, before, goesLive }: LeadProps) {
  const live = before.preset.designated_version.version;
  if (from === undefined) return goesLive ? `Replaces live version ${live}.` : `Version ${live} stays live.`;
  if (from === live)
    return goesLive
      ? `Starts from live version ${live} and replaces it when saved.`
      : `Starts from version ${live}, which stays live.`;
  return (
    <>
      Starts from version {from}.{' '}
      {goesLive ? `Replaces live version ${live} when saved.` : `Version ${live} stays live.`}{' '}
      <Link href={newVersionPath(slug, live)}>Start from version {live} instead</Link>
    </>
  );
}

/** Where Cancel leads: the list, or the version that the form started from. */
function originOf({ slug, from, before }: Draft): string {
  if (before === undefined) return '/presets';
  const live = before.preset.designated_version.version;
  return versionPath(slug, from ?? live, live);
}

/** Moves the focus to the first matching element in the form, if there is one. */
function focusIn(form: HTMLFormElement | null, selector: string): void {
  form?.querySelector<HTMLElement>(selector)?.focus();
}

/** Tells the user that the form shows an unsaved draft instead of the saved version. */
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
        {isSaving ? 'Saving…' : labelOf(capture)}
      </Button>
      <span role="status" className={toneOf(capture)}>
        {statusOf(capture)}
      </span>
    </div>
  );
}

/** Says which version will be created, once the dry run has told its number. */
function labelOf({ draft: { before }, version, saveOptions: { goesLive } }: Capture): string {
  if (before === undefined) return 'Create preset';
  const save = version === undefined ? 'Save version' : `Save version ${version}`;
  return goesLive ? save : `${save} without going live`;
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
