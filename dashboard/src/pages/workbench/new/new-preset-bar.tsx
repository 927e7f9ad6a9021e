import { type FormEvent, Fragment, useEffect, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import type { Issue } from '../../../../../src/core/errors.ts';
import { findUpstreamIssues } from '../../../../../src/dialects/presets/upstream-issues.ts';
import { isStatus } from '../../../api/api-error.ts';
import { useSession } from '../../../api/session.ts';
import { Badge } from '../../../components/badge.tsx';
import { Button } from '../../../components/button.tsx';
import { useCommands } from '../../../components/commands.ts';
import { FormDialog } from '../../../components/dialog.tsx';
import { TextField } from '../../../components/fields.tsx';
import { ErrorNotice, Notice } from '../../../components/notice.tsx';
import { useStore } from '../../../components/store.ts';
import { formatCount } from '../../../components/text.ts';
import { useToast } from '../../../components/toasts.tsx';
import { noteLength, withSaveOptions } from '../../../features/capture/save-options.ts';
import { UpstreamIssueNotice } from '../../../features/capture/upstream-issue-notice.tsx';
import { discardedDrafts } from '../../../features/preset-changes/undo-offers.ts';
import { slugProblem } from '../../../features/request/check-request.ts';
import { warningsMax } from '../../../features/request/locate-issues.ts';
import { takePassedRequest } from '../../../features/request/passed-request.ts';
import { declareVariable, undeclaredNames } from '../../../features/request/variables.ts';
import { newInputs } from '../../../features/runs/run-state.ts';
import { useImport } from '../import-request.tsx';
import type { BarProps } from '../open-workbench.tsx';
import { useRunSession } from '../run/run-session.ts';
import { useDraftProblem } from '../save/use-draft-problem.ts';
import workbench from '../workbench.module.css';
import { useDraft, useWorkbench } from '../workbench.ts';
import styles from './new-preset.module.css';
import { SlugTakenNotice } from './slug-taken-notice.tsx';
import { useCreatePreset } from './use-create-preset.ts';

/** The slug of a new preset, and the button that creates it. */
export function NewPresetBar(props: BarProps) {
  const { capture, isChanged, isWriting, isReplacing, onReveal, replaceDraft, forgetDraft } = props;
  const { home, draft, dialect, edit, keepsBraces } = useWorkbench();
  const request = useDraft(({ body }) => body);
  const { draft: typed, note, isNoteInText, version } = capture;
  const { slug, text: typedText } = typed;
  const [restored] = useState(isChanged ? typedText : undefined);
  const session = useSession();
  const runs = useRunSession();
  const problem = useDraftProblem(capture, onReveal);
  const creating = useCreatePreset(forgetDraft);
  const discarded = useStore(discardedDrafts.of(session), (all) => all.get(home.presetId)?.[0]);
  const [hasTriedToSave, setHasTriedToSave] = useState(false);
  const [showsNote, setShowsNote] = useState(note !== '');
  const [doubts, setDoubts] = useState<Doubts>();
  const form = useRef<HTMLFormElement>(null);
  const showToast = useToast();
  usePassedRequest();
  useSlugAfterImport(form, isChanged);

  const { error: noteError, hint: noteHint } = noteLength(note);
  const noteProblem = isNoteInText ? undefined : noteError;
  function create(isConfirmed = false) {
    if (creating.isPending) return;
    // Synchronously, so that the invalid field is already marked and can be focused below.
    flushSync(() => {
      setHasTriedToSave(true);
      setDoubts(undefined);
    });
    const { text, body } = draft.get();
    if (!isChanged) return showToast('Paste a request or write a prompt first');
    if (body === undefined || !problem.canSave) return problem.show();
    if (slugProblem(slug) !== undefined || noteProblem !== undefined)
      return form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
    const { doubtful } = findUpstreamIssues(body, dialect);
    const undeclared = keepsBraces ? [] : undeclaredNames(body, dialect);
    if (doubtful.length + undeclared.length > 0 && !isConfirmed)
      return setDoubts({ issues: doubtful, undeclared });
    creating.create(slug, withSaveOptions(text, body, { note }));
  }
  const declareAll = (names: readonly string[]) => {
    edit((text) => names.reduce((next, name) => declareVariable(next, name, { type: 'string' }), text));
    setDoubts(undefined);
  };
  /** Its conversation is discarded, too. */
  const discard = () =>
    void replaceDraft('Draft discarded', 0, undefined, () => runs.replaceInputs(newInputs({})));
  useCommands([
    { title: 'Create preset', group: 'Workbench', keys: 'Mod+S', keywords: 'save', run: () => create() },
    isChanged && { title: 'Discard draft', group: 'Workbench', isDisabled: isReplacing, run: discard },
  ]);

  const isConflict = isStatus(creating.error, 412);
  // The dry run of a free slug reports version 1; anything higher belongs to an existing preset.
  const isTaken = isConflict || (version !== undefined && version > 1);
  return (
    <>
      <form
        ref={form}
        className={isWriting ? styles.bar : styles.startBar}
        noValidate
        onSubmit={(event: FormEvent) => {
          event.preventDefault();
          create();
        }}
      >
        <div className={styles.slug}>
          <TextField
            label="Slug"
            value={slug}
            // Pasted slugs often come with a space.
            onChange={(next) => {
              creating.reset();
              capture.change({ slug: next.trim() });
            }}
            isMono
            focusOnMount
            isReadOnly={creating.isPending}
            placeholder="support-bot"
            autoComplete="off"
            // An error takes its place, so that nothing moves.
            hint={
              <>
                Call it as <code>@preset/{slug === '' ? 'support-bot' : slug}</code>.
              </>
            }
            error={slugProblem(slug, hasTriedToSave)}
          />
        </div>
        {isWriting && (showsNote || isNoteInText) && (
          <div className={styles.note}>
            <TextField
              label="Note"
              lines={1}
              value={note}
              onChange={(next) => capture.change({ note: next === '' ? undefined : next })}
              isReadOnly={isNoteInText}
              placeholder="Shown in the history"
              hint={
                isNoteInText ? (
                  <>
                    Set by <code>presetd.note</code> in the request.
                  </>
                ) : (
                  noteHint
                )
              }
              error={noteProblem}
            />
          </div>
        )}
        {isWriting && (
          <div className={styles.status}>
            <Checked {...{ capture, problem, onReveal }} />
            {typedText === restored && (
              <span role="status" className="note">
                Unsaved draft restored.
              </span>
            )}
          </div>
        )}
        {!isWriting && discarded && (
          <div className={styles.actions}>
            <Button
              isSmall
              isBusy={isReplacing}
              onClick={() => void replaceDraft('Draft restored', discarded.from, discarded)}
            >
              Restore earlier draft
            </Button>
          </div>
        )}
        {isWriting && (
          <div className={styles.actions}>
            {!showsNote && !isNoteInText && (
              <Button variant="quiet" onClick={() => setShowsNote(true)}>
                Add note
              </Button>
            )}
            <Button isBusy={isReplacing} onClick={discard}>
              Discard draft
            </Button>
            <Button type="submit" variant="primary" isBusy={creating.isPending}>
              {creating.isPending ? 'Saving…' : 'Create preset'}
            </Button>
          </div>
        )}
      </form>
      <div className={styles.notices}>
        {isTaken && (
          <SlugTakenNotice key={slug} capture={capture} isError={isConflict} forgetDraft={forgetDraft} />
        )}
        {creating.error && !isConflict && (
          <ErrorNotice
            error={creating.error}
            title={`${isStatus(creating.error, 0) ? 'Could not confirm that it was saved' : 'Not saved'}. Your text is still here.`}
          />
        )}
      </div>
      {doubts && (
        <FormDialog
          title="Create the preset anyway?"
          submitLabel="Create anyway"
          submitVariant="danger"
          onSubmit={() => create(true)}
          onClose={() => setDoubts(undefined)}
          change={{ isPending: false, error: null }}
        >
          {doubts.undeclared.length > 0 && (
            <UndeclaredNotice names={doubts.undeclared} onDeclare={() => declareAll(doubts.undeclared)} />
          )}
          {doubts.issues.length > 0 && (
            <>
              <UpstreamIssueNotice issues={doubts.issues} request={request} />
              <p>The preset goes live at once. Calls to it would then fail.</p>
            </>
          )}
        </FormDialog>
      )}
    </>
  );
}

/** Doubts to ask about before the preset goes live. */
interface Doubts {
  readonly issues: readonly Issue[];
  /** Names in braces that no variable has. */
  readonly undeclared: readonly string[];
}

interface UndeclaredNoticeProps {
  readonly names: readonly string[];
  readonly onDeclare: () => void;
}

function UndeclaredNotice({ names, onDeclare }: UndeclaredNoticeProps) {
  return (
    <Notice
      kind="warning"
      title="Models would receive these braces as text"
      actions={
        <Button isSmall onClick={onDeclare}>
          {names.length === 1 ? `Declare ${names[0]}` : `Declare all ${names.length}`}
        </Button>
      }
    >
      {names.map((name, index) => (
        <Fragment key={name}>
          {index > 0 && ', '}
          <code>{`{{${name}}}`}</code>
        </Fragment>
      ))}{' '}
      {names.length === 1 ? 'is not declared as a variable' : 'are not declared as variables'}, so calls
      cannot pass {names.length === 1 ? 'its value' : 'their values'}.
    </Notice>
  );
}

/** A request that was pasted on another page, or a version to duplicate. */
function usePassedRequest(): void {
  const { replaceText } = useWorkbench();
  const importText = useImport();
  // biome-ignore lint/correctness/useExhaustiveDependencies: taking the request removes it, so this runs on mount only
  useEffect(() => {
    const passed = takePassedRequest();
    if (passed !== undefined && !importText(passed.text, passed.dialect))
      replaceText(passed.text, passed.dialect);
  }, []);
}

/** The field in which the request was pasted is gone; the slug comes next. */
function useSlugAfterImport(form: { readonly current: HTMLFormElement | null }, isChanged: boolean): void {
  useEffect(() => {
    if (isChanged && document.activeElement === document.body) form.current?.querySelector('input')?.focus();
  }, [form, isChanged]);
}

interface CheckedProps extends Pick<BarProps, 'capture' | 'onReveal'> {
  readonly problem: ReturnType<typeof useDraftProblem>;
}

/** The result of the latest check. */
function Checked({ capture, problem, onReveal }: CheckedProps) {
  const { dryRun, dialect, isChecking, report } = capture;
  const isAccepted = dialect !== undefined && !isChecking && dryRun.isSuccess && !dryRun.isPlaceholderData;
  const [warning] = report.warnings;
  return (
    <>
      {problem.text !== undefined && (
        <button type="button" className={workbench.problem} title={problem.text} onClick={problem.show}>
          {problem.text}
        </button>
      )}
      {problem.incompleteField !== undefined && (
        <>
          <Badge tone="warning">{problem.incompleteField.label} is incomplete</Badge>
          <Button isSmall onClick={problem.discardIncomplete}>
            Discard text
          </Button>
        </>
      )}
      {/* Empty during a check, so that screen readers do not announce every keystroke. */}
      <span role="status" className="note">
        {problem.text !== undefined || !isAccepted ? null : warning === undefined ? (
          'No problems'
        ) : (
          <button type="button" className={workbench.problem} onClick={() => onReveal(warning.from)}>
            {report.warnings.length === warningsMax
              ? `${warningsMax} warnings or more`
              : formatCount(report.warnings.length, 'warning', 'warnings')}
          </button>
        )}
      </span>
    </>
  );
}
