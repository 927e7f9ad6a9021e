import { type FormEvent, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { useLocation } from 'wouter';
import { recognizeDialect } from '../../../src/dialects/recognize-dialect.ts';
import { pathOf } from '../api/api.ts';
import { isStatus } from '../api/api-error.ts';
import { Button, ButtonLink } from '../parts/button.tsx';
import { ErrorNotice } from '../parts/error-notice.tsx';
import { Page } from '../parts/page.tsx';
import { useToast } from '../parts/toasts.tsx';
import { ConflictDialog } from '../preset/conflict-dialog.tsx';
import styles from './capture-form.module.css';
import { CapturePreview } from './capture-preview.tsx';
import { checkRequestText } from './check-request-text.ts';
import { DialectChoice } from './dialect-choice.tsx';
import { DraftNotice } from './draft-notice.tsx';
import type { Draft } from './drafts.ts';
import { ExistingPreset } from './existing-preset.tsx';
import type { JsonEditorHandle } from './json-editor.tsx';
import { RequestEditor } from './request-editor.tsx';
import { problemOf, SlugField } from './slug-field.tsx';
import { useCapture } from './use-capture.ts';
import { useKeptDraft } from './use-kept-draft.ts';
import { useSaveVersion } from './use-save-version.ts';

interface CaptureFormProps {
  readonly draftName: string;
  readonly pristine: Draft;
  /** What was typed before, if anything was. */
  readonly draft: Draft | undefined;
  readonly onStartAgain: () => void;
}

export function CaptureForm({ draftName, pristine, draft: kept, onStartAgain }: CaptureFormProps) {
  const capture = useCapture(kept ?? pristine);
  const { draft, change, checked, version, report } = capture;
  const { text, slug, before } = draft;
  const isChanged = text !== pristine.text || slug !== pristine.slug;
  const endDraft = useKeptDraft(draftName, draft, isChanged);
  const saving = useSaveVersion();
  const [isTried, setIsTried] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const editor = useRef<JsonEditorHandle>(null);
  const [, navigate] = useLocation();
  const tell = useToast();

  function save(etag = before?.etag) {
    flushSync(() => setIsTried(true));
    const now = checkRequestText(text);
    const dialect = now.kind === 'fine' ? (draft.dialect ?? recognizeDialect(now.body)) : undefined;
    if (now.kind !== 'fine') return editor.current?.goTo(now.kind === 'wrong' ? now.problem.from : 0);
    const [problem] = report.text === text ? report.problems : [];
    if (problem !== undefined) return editor.current?.goTo(problem.from);
    if (dialect === undefined || problemOf(slug) !== undefined)
      return form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
    saving.mutate(
      { slug, dialect, text, etag },
      {
        onSuccess: ({ designated_version: { version: number } }) => {
          endDraft();
          tell(`Version ${number} is live`);
          navigate(`${pathOf('presets', slug)}?version=${number}`);
        },
      },
    );
  }

  const isRefused = isStatus(saving.error, 412);
  const title = before === undefined ? 'New preset' : `New version of ${slug}`;
  return (
    <Page
      title={title}
      lead={
        before &&
        `It becomes the live version, in the place of version ${before.preset.designated_version.version}.`
      }
      actions={<ButtonLink href={pristine.before ? pathOf('presets', slug) : '/'}>Cancel</ButtonLink>}
    >
      <form
        ref={form}
        className={styles.layout}
        noValidate
        onSubmit={(event: FormEvent) => {
          event.preventDefault();
          if (!saving.isPending) save();
        }}
      >
        <div className={styles.request}>
          {kept && (
            <DraftNotice
              onStartAgain={() => {
                endDraft();
                onStartAgain();
              }}
            />
          )}
          <div className={styles.fields}>
            {before === undefined ? (
              <SlugField
                slug={slug}
                onChange={(typed) => change({ slug: typed })}
                version={version}
                isMissed={isTried}
              />
            ) : (
              <div className={styles.fixed}>
                <span className={styles.label}>Slug</span>
                <code>{slug}</code>
                {pristine.before === undefined && (
                  <Button isSmall onClick={() => change({ before: undefined })}>
                    Use another slug
                  </Button>
                )}
              </div>
            )}
            <DialectChoice
              recognized={capture.recognized}
              chosen={draft.dialect}
              onChoose={(dialect) => change({ dialect })}
              isNeeded={checked.kind === 'fine'}
            />
          </div>
          {before === undefined && ((version !== undefined && version > 1) || isRefused) && (
            <ExistingPreset
              slug={slug}
              version={version}
              onAdd={(seen) => {
                saving.reset();
                change({ before: seen });
              }}
            />
          )}
          <RequestEditor
            editor={editor}
            startText={(kept ?? pristine).text}
            text={text}
            isMissed={isTried && text.trim() === ''}
            problems={report.problems}
            onChange={(typed) => change({ text: typed })}
            onSubmit={() => form.current?.requestSubmit()}
          />
          {saving.error && !isRefused && (
            <ErrorNotice error={saving.error} title="It was not saved. What you typed is still here." />
          )}
          <div className={styles.footer}>
            <Button type="submit" variant="primary" isBusy={saving.isPending}>
              {saving.isPending ? 'Saving…' : labelOf(before !== undefined, version)}
            </Button>
            <span role="status" className="muted">
              {statusOf(capture)}
            </span>
          </div>
        </div>
        <CapturePreview {...capture} before={before} onGoTo={(offset) => editor.current?.goTo(offset)} />
      </form>
      {before !== undefined && isRefused && (
        <ConflictDialog
          slug={slug}
          before={before}
          onClose={() => saving.reset()}
          onRetry={(now) => {
            saving.reset();
            change({ before: now });
            save(now.etag);
          }}
        />
      )}
    </Page>
  );
}

function labelOf(isVersion: boolean, version: number | undefined): string {
  if (!isVersion) return 'Create preset';
  return version === undefined ? 'Save version' : `Save version ${version}`;
}

function statusOf({ checked, isChecking, report, dryRun }: ReturnType<typeof useCapture>): string {
  const count = report.problems.length;
  if (count > 0) return count === 1 ? '1 problem' : `${count} problems`;
  if (checked.kind !== 'fine' || dryRun.error) return '';
  return isChecking || dryRun.data === undefined ? '' : 'No problems';
}
