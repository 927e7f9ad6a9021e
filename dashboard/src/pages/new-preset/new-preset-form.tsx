/**
 * The form behind "New preset".
 *
 * It starts from the stored draft, if there is one, and is checked as the user types: first locally,
 * then by a dry run. Edits are saved as a draft until the preset is. A preset that exists already is
 * never changed: its next version is written in its workbench.
 */

import { Tabs } from '@base-ui/react/tabs';
import { type FormEvent, type RefObject, useEffect, useMemo, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { useLocation } from 'wouter';
import type { Issue } from '../../../../src/core/errors.ts';
import type { Dialect } from '../../../../src/core/presets/preset.ts';
import { isAboutLiteralBraces } from '../../../../src/dialects/presets/extension/check-extension.ts';
import { isStatus } from '../../api/api-error.ts';
import { fetchPreset } from '../../api/presets.ts';
import { useSession } from '../../api/session.ts';
import { Button, ButtonLink } from '../../components/button.tsx';
import { FormDialog } from '../../components/dialog.tsx';
import type { EditorHandle } from '../../components/editor/text-editor.tsx';
import { submitOnCtrlEnter } from '../../components/fields.tsx';
import { ErrorNotice, Notice } from '../../components/notice.tsx';
import { Page } from '../../components/page.tsx';
import { presetPath } from '../../components/preset-links.ts';
import { TabList } from '../../components/tabs.tsx';
import { useToast } from '../../components/toasts.tsx';
import { UpstreamIssueNotice } from '../../features/capture/upstream-issue-notice.tsx';
import { type Capture, type Report, useCapture } from '../../features/capture/use-capture.ts';
import {
  type Draft,
  draftName as draftNameOf,
  loadDraft,
  saveDraft,
  useDraftAutosave,
} from '../../features/drafts/drafts.ts';
import { draftSender, handOverDraft } from '../../features/drafts/server-draft.ts';
import { takePassedRequest } from '../../features/request/passed-request.ts';
import { usePastedRequest } from '../../features/request/pasted-request.ts';
import { CapturePreview, describeReport } from './capture-preview.tsx';
import styles from './new-preset.module.css';
import { NoteField, SlugAndFormat, SlugTakenNotice } from './new-preset-fields.tsx';
import { PlaceholderNotice } from './placeholder-notice.tsx';
import { PromptForm } from './prompt-form.tsx';
import { indented, RequestEditor } from './request-editor.tsx';
import { useCreatePreset } from './use-create-preset.ts';

const empty: Draft = { text: '', slug: '' };

/** By the names of their drafts. A toast outlives the form that shows it. */
const formsOnPage = new Map<string, RefObject<(draft: Draft) => void>>();

/** Undo: in the form on the page or, if there is none, for the next one. */
function returnTo(name: string, draft: Draft): void {
  const form = formsOnPage.get(name);
  if (form) form.current(draft);
  else saveDraft(name, draft);
}

export function NewPresetForm({ draftName }: { readonly draftName: string }) {
  const [start] = useState(() => loadDraft(draftName) ?? empty);
  const [isRestored, setIsRestored] = useState(start !== empty);
  const capture = useCapture(start);
  const { draft, version, dialect } = capture;
  const report = useShownReport(capture);
  const { text, slug } = draft;
  const isChanged = text !== '' || slug !== '' || draft.note !== undefined;
  const discardDraft = useDraftAutosave(draftName, draft, isChanged);
  const saving = useCreatePreset(discardDraft);
  const [hasTriedToSave, setHasTriedToSave] = useState(false);
  const [doubts, setDoubts] = useState<readonly Issue[]>();
  const [tab, setTab] = useState<'request' | 'prompt'>('request');
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
  function save(isConfirmed = false) {
    if (saving.isPending) return;
    // Synchronously, so that the invalid field is already marked and can be focused below.
    flushSync(() => {
      setHasTriedToSave(true);
      setDoubts(undefined);
    });
    const blocker = saving.save(draft, report, isConfirmed);
    if (blocker?.in === 'doubts') setDoubts(blocker.issues);
    else if (blocker?.in === 'text') goTo(blocker.offset);
    else if (blocker) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }
  /** A prompt without a model has its problem in the request, too; an empty form has none. */
  function goTo(offset: number) {
    if (text.trim() === '') return;
    flushSync(() => setTab('request'));
    editor.current?.goTo(offset);
  }
  function importRequest(body: string, dialect?: Dialect) {
    setTab('request');
    setIsRestored(false);
    change({ dialect, keepsBraces: undefined });
    editor.current?.replaceText(indented(body));
    if (text !== '') showToast('Imported the request', () => returnTo(draftName, draft));
  }
  usePastedRequest((body) => {
    importRequest(body);
    return true;
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is passed once
  useEffect(() => {
    const passed = takePassedRequest();
    if (passed !== undefined) importRequest(passed.text, passed.dialect);
  }, []);
  function reset() {
    replaceAll(empty);
    showToast('Draft discarded', () => returnTo(draftName, draft));
  }
  function replaceAll(by: Draft) {
    setIsRestored(by !== empty);
    const { slug, note, dialect, keepsBraces } = by;
    change({ slug, note, dialect, keepsBraces });
    editor.current?.replaceText(by.text);
  }
  const replace = useRef(replaceAll);
  replace.current = replaceAll;
  useEffect(() => {
    formsOnPage.set(draftName, replace);
    return () => {
      if (formsOnPage.get(draftName) === replace) formsOnPage.delete(draftName);
    };
  }, [draftName]);
  /** Returns false if that would replace a text that exists nowhere else. */
  async function continueInWorkbench(): Promise<boolean> {
    const { api, workspaceId } = session;
    // The slug may be an alias.
    const { preset } = await fetchPreset(api, workspaceId, slug);
    // The preset may have another format.
    const handedOver = { ...draft, slug: preset.slug, dialect: capture.dialect };
    if (!handOverDraft(draftSender(session, preset), draftNameOf(session, preset.id), handedOver))
      return false;
    discardDraft();
    navigate(presetPath(preset.slug));
    return true;
  }

  const isConflict = isStatus(saving.error, 412);
  // The dry run of a free slug reports version 1; anything higher belongs to an existing preset.
  const isTaken = isConflict || (version !== undefined && version > 1);
  return (
    <Page title="New preset" guide="capture" actions={<ButtonLink href="/presets">Cancel</ButtonLink>}>
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
          <Tabs.Root value={tab} onValueChange={setTab} className="stack-3">
            <TabList
              label="Start from"
              tabs={[
                ['request', 'Paste a request'],
                ['prompt', 'Write a prompt'],
              ]}
            />
            {/* Stays, for its undo history. No stop for the Tab key: the fields in it are. */}
            <Tabs.Panel value="request" tabIndex={-1} keepMounted>
              <RequestEditor
                editor={editor}
                text={text}
                isMissing={hasTriedToSave && text.trim() === ''}
                isReadOnly={saving.isPending}
                report={report}
                onChange={(typed) => change({ text: typed })}
              />
            </Tabs.Panel>
            <Tabs.Panel value="prompt" tabIndex={-1}>
              <PromptForm
                text={text}
                dialect={draft.dialect}
                isMissing={hasTriedToSave && text.trim() === ''}
                isReadOnly={saving.isPending}
                onChange={(typed) => change({ text: typed })}
              />
            </Tabs.Panel>
          </Tabs.Root>
          {/* Below the editors: it comes and goes while the user types in them. */}
          {capture.checked.kind === 'valid' && dialect !== undefined && (
            <PlaceholderNotice
              text={text}
              body={capture.checked.body}
              dialect={dialect}
              isKept={draft.keepsBraces === true}
              onDeclare={(declared) => change({ text: declared })}
              onKeep={() => change({ keepsBraces: true })}
            />
          )}
          <NoteField {...capture} change={change} />
          {saving.error && !isConflict && (
            <ErrorNotice
              error={saving.error}
              title={`${isStatus(saving.error, 0) ? 'Could not confirm that it was saved' : 'Not saved'}. Your text is still here.`}
            />
          )}
          <SaveBar capture={capture} report={report} isSaving={saving.isPending} />
        </div>
        <CapturePreview {...capture} report={report} onGoTo={goTo} />
      </form>
      {doubts && (
        <FormDialog
          title="Create the preset anyway?"
          submitLabel="Create anyway"
          onSubmit={() => save(true)}
          onClose={() => setDoubts(undefined)}
          change={{ isPending: false, error: null }}
        >
          <UpstreamIssueNotice issues={doubts} />
          <p>The preset goes live at once. Calls to it would then fail.</p>
        </FormDialog>
      )}
    </Page>
  );
}

/** Without the warnings that the user has settled. */
function useShownReport({ report, draft: { keepsBraces } }: Capture): Report {
  return useMemo(
    () =>
      keepsBraces
        ? { ...report, warnings: report.warnings.filter((warning) => !isAboutLiteralBraces(warning)) }
        : report,
    [report, keepsBraces],
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
  readonly report: Report;
  readonly isSaving: boolean;
}

/** The save button, and the result of the latest check. */
function SaveBar({ capture, report, isSaving }: SaveBarProps) {
  return (
    <div className={styles.footer}>
      <Button type="submit" variant="primary" isBusy={isSaving}>
        {isSaving ? 'Saving…' : 'Create preset'}
      </Button>
      <span role="status" className={toneOf(report)}>
        {statusOf(capture, report)}
      </span>
    </div>
  );
}

/** Empty while a check is running, so that screen readers do not announce it at every keystroke. */
function statusOf({ dialect, isChecking, dryRun }: Capture, report: Report): string {
  if (report.problems.length > 0) return describeReport(report);
  const isAccepted = dialect !== undefined && !isChecking && dryRun.isSuccess && !dryRun.isPlaceholderData;
  if (!isAccepted) return '';
  return report.warnings.length > 0 ? describeReport(report) : 'No problems';
}

/** The color follows the worst kind of problem. */
function toneOf(report: Report): string | undefined {
  if (report.problems.length > 0) return styles.problems;
  return report.warnings.length > 0 ? styles.warnings : 'muted';
}
