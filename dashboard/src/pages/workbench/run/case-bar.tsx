import { ChevronDown } from 'lucide-react';
import { useState } from 'react';
import type { PresetCase } from '../../../../../src/api/cases.ts';
import { caseNameProblem } from '../../../../../src/core/presets/case-name.ts';
import { isSameJson } from '../../../../../src/dialects/json-object.ts';
import { CaseChangedError, useCases, useChangeCase } from '../../../api/cases.ts';
import { Button, buttonClass } from '../../../components/button.tsx';
import { useCommands } from '../../../components/commands.ts';
import { ConfirmDialog, FormDialog } from '../../../components/dialog.tsx';
import { SelectField, TextField } from '../../../components/fields.tsx';
import { Menu } from '../../../components/menu.tsx';
import { ErrorNotice, messageOf } from '../../../components/notice.tsx';
import { useStore } from '../../../components/store.ts';
import { useToast } from '../../../components/toasts.tsx';
import { noteLength } from '../../../features/capture/save-options.ts';
import { usePausedRedirect } from '../../../features/preset-changes/use-preset-actions.ts';
import type { Message } from '../../../features/runs/message.ts';
import { newInputs } from '../../../features/runs/run-state.ts';
import type { Variable } from '../../../features/version-content/describe-variable.ts';
import styles from '../workbench.module.css';
import { useWorkbench } from '../workbench.ts';
import { caseInputs, caseVariables, nameOfCopy } from './case-inputs.ts';
import { type RunSession, useReplaceInputs } from './run-session.ts';

interface CaseBarProps {
  readonly session: RunSession;
  /** The variables of all columns. */
  readonly declared: readonly Variable[];
  /** Shows what is wrong with the variables. Returns whether nothing is. */
  readonly checkVariables: () => boolean;
  /** The conversation with what is typed. */
  readonly conversation: readonly Message[];
}

/** Loads and saves test cases: the inputs of a run under a name, shared with the team. */
export function CaseBar({ session, declared, checkVariables, conversation }: CaseBarProps) {
  const { slug, snapshot, canEdit } = useWorkbench();
  const { change } = session;
  const { caseName, texts } = useStore(session.state, (all) => all);
  const { data, error: loadError, refetch } = useCases(slug, snapshot.etag);
  const cases = data ?? [];
  const names = cases.map(({ name }) => name);
  const replaceInputs = useReplaceInputs(session);
  const saving = useChangeCase(slug);
  const showToast = useToast();
  const [naming, setNaming] = useState<Naming>();
  const current = cases.find(({ name }) => name === caseName);
  const content = {
    variables: caseVariables(current?.variables, declared, texts),
    messages: conversation as PresetCase['messages'],
  };
  const isChanged =
    current !== undefined &&
    !isSameJson(content, { variables: current.variables, messages: current.messages });

  const load = (name: string) => {
    const chosen = cases.find((other) => other.name === name);
    if (chosen === undefined) return replaceInputs('Cleared the inputs', newInputs({}));
    const { messages, texts: given } = caseInputs(chosen);
    replaceInputs(`Loaded the case ${name}`, newInputs({ caseName: name, messages, texts: given }));
  };
  const [conflict, setConflict] = useState<Conflict>();
  const [removed, setRemoved] = useState<PresetCase>();
  usePausedRedirect(naming !== undefined || conflict !== undefined || removed !== undefined);
  /** Without the error of the last change. */
  const openDialog = (next: Naming | PresetCase) => {
    saving.reset();
    if (typeof next === 'string') setNaming(next);
    else setRemoved(next);
  };
  /** A value of the wrong type would be missing in the case. */
  const canSave = () => {
    const isValid = checkVariables();
    if (!isValid) showToast('Fix the variables to save the case');
    return isValid;
  };
  const save = (name: string, note?: string | null, isForced = false) => {
    const seen = cases.find((other) => other.name === name);
    saving.mutate(
      { name, content: { ...content, note: note ?? seen?.note ?? null }, seen, isForced },
      {
        onSuccess: () => {
          change({ caseName: name });
          setNaming(undefined);
          setConflict(undefined);
          showToast(`Saved the case ${name}`);
        },
        onError: (error) => {
          if (error instanceof CaseChangedError) {
            setNaming(undefined);
            setConflict({ name, note, message: error.message });
          } else showToast(`Could not save the case: ${messageOf(error)}`);
        },
      },
    );
  };
  /** Renames or copies the case as it is saved. Inputs that are not saved stay in the form. */
  const saveUnder = (
    name: string,
    note: string | null,
    { name: before, variables, messages }: PresetCase,
  ) => {
    const isRename = naming === 'rename';
    const saved = { variables, messages, note };
    saving.mutate(
      isRename
        ? { name: before, content: { ...saved, name }, seen: current }
        : { name, content: saved, seen: undefined },
      {
        onSuccess: () => {
          if (isRename) session.allCases.renameCase(before, name);
          change({ caseName: name });
          setNaming(undefined);
          showToast(isRename ? `Saved the case ${name}` : `Duplicated the case as ${name}`);
        },
      },
    );
  };
  /** Also after the user has left the page. */
  const restore = async ({ name, variables, messages, note }: PresetCase) => {
    try {
      await saving.mutateAsync({ name, content: { variables, messages, note }, seen: undefined });
      if (session.state.get().caseName === undefined) change({ caseName: name });
    } catch (error) {
      showToast(`Could not restore the case: ${messageOf(error)}`);
    }
  };
  const remove = (seen: PresetCase) =>
    saving.mutate(
      { name: seen.name, content: undefined, seen },
      {
        onSuccess: () => {
          change({ caseName: undefined });
          setRemoved(undefined);
          showToast(`Removed the case ${seen.name}`, () => void restore(seen));
        },
      },
    );
  useCommands([
    canEdit && {
      title: 'Save as test case',
      group: 'Workbench',
      run: () => canSave() && openDialog('save'),
    },
  ]);

  return (
    <div className={styles.row}>
      <div className={styles.grow}>
        <SelectField<string>
          label="Test case"
          value={current?.name ?? ''}
          options={[
            ['', data === undefined ? '' : cases.length === 0 ? 'None yet' : 'None'],
            ...cases.map(({ name }) => [name, name] as const),
          ]}
          onChange={load}
        />
      </div>
      {canEdit && current !== undefined && isChanged && (
        <Button isBusy={saving.isPending} onClick={() => canSave() && save(current.name)}>
          Save case
        </Button>
      )}
      {canEdit && (
        <Menu
          label="Case actions"
          buttonClassName={buttonClass({})}
          button={
            <>
              Case
              <ChevronDown aria-hidden="true" />
            </>
          }
          items={[
            { text: 'Save as case…', onClick: () => canSave() && openDialog('save') },
            current && { text: 'Edit name and note…', onClick: () => openDialog('rename') },
            current && { text: 'Duplicate case…', onClick: () => openDialog('duplicate') },
            current && { text: 'Remove case…', isDangerous: true, onClick: () => openDialog(current) },
          ]}
        />
      )}
      {current?.note != null && <p className={styles.caseNote}>{current.note}</p>}
      {loadError !== null && data === undefined && (
        <ErrorNotice error={loadError} title="Could not load the test cases" retry={() => void refetch()} />
      )}
      {conflict && (
        <ConfirmDialog
          title={conflict.message}
          submitLabel="Replace case"
          change={{ isPending: saving.isPending, error: null }}
          onSubmit={() => save(conflict.name, conflict.note, true)}
          onClose={() => setConflict(undefined)}
        >
          <p>
            Your inputs replace those of the case, which stay in the history of the preset. To keep both,
            cancel and choose “Save as case…” with another name.
          </p>
        </ConfirmDialog>
      )}
      {removed && (
        <ConfirmDialog
          title={`Remove ${removed.name}?`}
          submitLabel="Remove case"
          change={saving}
          onSubmit={() => remove(removed)}
          onClose={() => {
            setRemoved(undefined);
            saving.reset();
          }}
        >
          <p>This removes the case for everyone. Earlier states of it stay available through the API.</p>
        </ConfirmDialog>
      )}
      {naming === 'save' && (
        <NameDialog
          title="Save as case"
          submitLabel="Save case"
          hint="The variables and the conversation are saved with the preset, for everyone who can read it."
          taken={names}
          canReplace
          change={saving}
          onSave={save}
          onClose={() => {
            setNaming(undefined);
            saving.reset();
          }}
        />
      )}
      {naming !== undefined && naming !== 'save' && current !== undefined && (
        <NameDialog
          title={`${naming === 'rename' ? 'Edit' : 'Duplicate'} ${current.name}`}
          submitLabel={naming === 'rename' ? 'Save' : 'Duplicate case'}
          start={naming === 'rename' ? current.name : nameOfCopy(current.name, names)}
          startNote={current.note ?? ''}
          taken={naming === 'rename' ? names.filter((name) => name !== current.name) : names}
          change={saving}
          onSave={(name, note) => saveUnder(name, note, current)}
          onClose={() => {
            setNaming(undefined);
            saving.reset();
          }}
        />
      )}
    </div>
  );
}

/** What the user enters a name for. */
type Naming = 'save' | 'rename' | 'duplicate';

/** A case that is not as the page has read it. */
interface Conflict {
  readonly name: string;
  readonly note: string | null | undefined;
  readonly message: string;
}

interface NameDialogProps {
  readonly title: string;
  readonly submitLabel: string;
  readonly hint?: string;
  /** The name to begin with. */
  readonly start?: string;
  readonly startNote?: string;
  readonly taken: readonly string[];
  readonly change: { readonly isPending: boolean; readonly error: unknown };
  /** Whether saving under a name that is taken replaces that case; otherwise it is an error. */
  readonly canReplace?: boolean;
  readonly onSave: (name: string, note: string | null) => void;
  readonly onClose: () => void;
}

function NameDialog(props: NameDialogProps) {
  const { title, submitLabel, hint, start = '', startNote = '' } = props;
  const { taken, change, canReplace, onSave, onClose } = props;
  const [name, setName] = useState(start);
  const [note, setNote] = useState(startNote);
  const { hint: noteHint = 'What a good response has to do, for example.', error: noteError } =
    noteLength(note);
  const trimmed = name.trim();
  const isTaken = taken.includes(trimmed);
  const problem = trimmed === '' ? undefined : nameProblem(trimmed, isTaken && !canReplace);
  return (
    <FormDialog
      title={title}
      submitLabel={isTaken ? 'Replace case' : submitLabel}
      change={change}
      canSubmit={trimmed !== '' && problem === undefined && noteError === undefined}
      onSubmit={() => onSave(trimmed, note.trim() === '' ? null : note.trim())}
      onClose={onClose}
    >
      <TextField
        label="Name"
        value={name}
        onChange={setName}
        error={problem}
        hint={isTaken ? 'Replaces the existing case.' : hint}
        placeholder="Angry customer"
        focusOnMount
      />
      <TextField label="Note" lines={2} value={note} onChange={setNote} hint={noteHint} error={noteError} />
    </FormDialog>
  );
}

function nameProblem(name: string, isTaken: boolean): string | undefined {
  const rule = caseNameProblem(name);
  if (rule !== undefined) return `The name ${rule}.`;
  return isTaken ? `There is already a case ${name}.` : undefined;
}
