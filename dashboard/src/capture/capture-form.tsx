import { type FormEvent, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { Link } from 'wouter';
import { isStatus } from '../api/api-error.ts';
import type { SeenPreset } from '../api/presets.ts';
import { ButtonLink } from '../parts/button.tsx';
import { ErrorNotice } from '../parts/error-notice.tsx';
import { Page } from '../parts/page.tsx';
import { submitByKeys } from '../parts/submit-by-keys.ts';
import { useToast } from '../parts/toasts.tsx';
import { ConflictDialog } from '../preset/conflict-dialog.tsx';
import { newVersionPath, versionPath } from '../preset/version-address.ts';
import { CaptureFields } from './capture-fields.tsx';
import styles from './capture-form.module.css';
import { CapturePreview } from './capture-preview.tsx';
import { DraftNotice } from './draft-notice.tsx';
import { type Draft, keepDraft, keptDraft } from './drafts.ts';
import { ExistingPreset } from './existing-preset.tsx';
import type { JsonEditorHandle } from './json-editor.tsx';
import { RequestEditor } from './request-editor.tsx';
import { SaveBar } from './save-bar.tsx';
import { useCapture } from './use-capture.ts';
import { useKeptDraft } from './use-kept-draft.ts';
import { useSaving } from './use-saving.ts';

interface CaptureFormProps {
  readonly draftName: string;
  /** How the page begins where nothing was typed yet. */
  readonly pristine: Draft;
}

/** Begins with what was typed here before and not saved, if there is anything. */
export function CaptureForm({ draftName, pristine }: CaptureFormProps) {
  const [start] = useState(() => keptDraft(draftName) ?? pristine);
  const [isResumed, setIsResumed] = useState(start !== pristine);
  const capture = useCapture(start);
  const { draft, version, report } = capture;
  const { text, slug, before } = draft;
  const isChanged = text !== pristine.text || slug !== pristine.slug;
  const endDraft = useKeptDraft(draftName, draft, isChanged);
  const saving = useSaving(endDraft);
  const [isTried, setIsTried] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const editor = useRef<JsonEditorHandle>(null);
  const tell = useToast();

  /** What is being saved stays as it is until that has succeeded or failed, so that nothing typed gets lost. */
  function change(changed: Partial<Draft>) {
    if (saving.isPending) return;
    if ('slug' in changed || 'before' in changed) saving.reset();
    capture.change(changed);
  }
  function save(etag?: string) {
    if (saving.isPending) return;
    flushSync(() => setIsTried(true));
    const obstacle = saving.save(draft, report, etag);
    if (obstacle?.in === 'text') editor.current?.goTo(obstacle.offset);
    else if (obstacle) focusIn(form.current, '[aria-invalid="true"]');
  }
  function startAgain() {
    replaceAll(pristine);
    tell('Started again', () => replaceAll(draft));
  }
  function replaceAll(by: Draft) {
    // The page may have been left meanwhile; then it begins with this when it is opened again.
    if (editor.current === null) return void keepDraft(draftName, by);
    setIsResumed(by !== pristine);
    change({ slug: by.slug, dialect: by.dialect, before: by.before });
    editor.current.replaceText(by.text);
  }
  function addTo(seen: SeenPreset) {
    flushSync(() => change({ before: seen }));
    focusIn(form.current, '[type="submit"]');
  }

  const isRefused = isStatus(saving.error, 412);
  const isTaken = before === undefined && (isRefused || (version !== undefined && version > 1));
  return (
    <Page
      title={before === undefined ? 'New preset' : `New version of ${slug}`}
      lead={before && <Lead {...draft} before={before} />}
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
        onKeyDown={submitByKeys}
      >
        <div className={styles.request}>
          {isResumed && <DraftNotice onStartAgain={startAgain} />}
          <CaptureFields
            {...capture}
            change={change}
            isSlugFixed={pristine.before !== undefined}
            isTried={isTried}
          />
          {isTaken && (
            <ExistingPreset key={slug} slug={slug} version={version} isRefused={isRefused} onAdd={addTo} />
          )}
          <RequestEditor
            editor={editor}
            startText={start.text}
            text={text}
            isMissed={isTried && text.trim() === ''}
            isFixed={saving.isPending}
            report={report}
            onChange={(typed) => change({ text: typed })}
          />
          {saving.error && !isRefused && (
            <ErrorNotice
              error={saving.error}
              title={`${isStatus(saving.error, 0) ? 'It may not have been saved' : 'It was not saved'}. What you typed is still here.`}
            />
          )}
          <SaveBar capture={capture} isSaving={saving.isPending} />
        </div>
        <CapturePreview
          {...capture}
          before={before}
          unchanged={isChanged ? undefined : pristine.from}
          onGoTo={(offset) => editor.current?.goTo(offset)}
        />
      </form>
      {before !== undefined && isRefused && (
        <ConflictDialog
          slug={slug}
          before={before}
          onClose={() => saving.reset()}
          closeLabel="Back to my text"
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
  readonly before: SeenPreset;
}

/** What the text started from, and what becomes of the live version. */
function Lead({ slug, from, before }: LeadProps) {
  const live = before.preset.designated_version.version;
  if (from === undefined) return `Replaces live version ${live}.`;
  if (from === live) return `Starts from live version ${live} and replaces it when saved.`;
  return (
    <>
      Starts from version {from}. Replaces live version {live} when saved.{' '}
      <Link href={newVersionPath(slug, live)}>Start from version {live} instead</Link>
    </>
  );
}

/** The page that led here. */
function originOf({ slug, from, before }: Draft): string {
  if (before === undefined) return '/';
  const live = before.preset.designated_version.version;
  return versionPath(slug, from ?? live, live);
}

function focusIn(form: HTMLFormElement | null, selector: string): void {
  form?.querySelector<HTMLElement>(selector)?.focus();
}
