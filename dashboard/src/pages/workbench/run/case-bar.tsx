import { ChevronDown } from 'lucide-react';
import { useState } from 'react';
import type { PresetCase } from '../../../../../src/api/cases.ts';
import { caseNameProblem } from '../../../../../src/core/presets/case-name.ts';
import { isSameJson } from '../../../../../src/dialects/json-object.ts';
import { CaseChangedError, useCases, useChangeCase } from '../../../api/cases.ts';
import { Button, buttonClass } from '../../../components/button.tsx';
import { ConfirmDialog, FormDialog } from '../../../components/dialog.tsx';
import { SelectField, TextField } from '../../../components/fields.tsx';
import { Menu } from '../../../components/menu.tsx';
import { ErrorNotice, messageOf } from '../../../components/notice.tsx';
import { useToast } from '../../../components/toasts.tsx';
import type { Variable } from '../../preset/describe-variable.ts';
import { useStore } from '../store.ts';
import styles from '../workbench.module.css';
import { useWorkbench } from '../workbench.ts';
import { caseInputs, caseVariables } from './case-inputs.ts';
import type { Message } from './conversation.ts';
import { type RunSession, useReplaceInputs } from './run-session.ts';
import { newInputs } from './run-state.ts';

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
  const replaceInputs = useReplaceInputs(session);
  const saving = useChangeCase(slug);
  const showToast = useToast();
  const [isNaming, setIsNaming] = useState(false);
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
  /** A value of the wrong type would be missing in the case. */
  const canSave = () => {
    const isValid = checkVariables();
    if (!isValid) showToast('Fix the variables to save the case');
    return isValid;
  };
  const save = (name: string, isForced = false) => {
    const seen = cases.find((other) => other.name === name);
    saving.mutate(
      { name, content: { ...content, note: seen?.note ?? null }, seen, isForced },
      {
        onSuccess: () => {
          change({ caseName: name });
          setIsNaming(false);
          setConflict(undefined);
          showToast(`Saved the case ${name}`);
        },
        onError: (error) => {
          if (error instanceof CaseChangedError) {
            setIsNaming(false);
            setConflict({ name, message: error.message });
          } else showToast(`Could not save the case: ${messageOf(error)}`);
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
          showToast(`Removed the case ${seen.name}`, () => void restore(seen));
        },
        onError: (error) => showToast(`Could not remove the case: ${messageOf(error)}`),
      },
    );

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
            { text: 'Save as case…', onClick: () => setIsNaming(canSave()) },
            current && { text: 'Remove case', isDangerous: true, onClick: () => remove(current) },
          ]}
        />
      )}
      {loadError !== null && data === undefined && (
        <ErrorNotice error={loadError} title="Could not load the test cases" retry={() => void refetch()} />
      )}
      {conflict && (
        <ConfirmDialog
          title={conflict.message}
          submitLabel="Replace case"
          change={{ isPending: saving.isPending, error: null }}
          onSubmit={() => save(conflict.name, true)}
          onClose={() => setConflict(undefined)}
        >
          <p>
            Your inputs replace those of the case, which stay in the history of the preset. To keep both,
            cancel and choose “Save as case…” with another name.
          </p>
        </ConfirmDialog>
      )}
      {isNaming && (
        <NameDialog
          taken={cases.map(({ name }) => name)}
          change={saving}
          onSave={save}
          onClose={() => setIsNaming(false)}
        />
      )}
    </div>
  );
}

/** A case that is not as the page has read it. */
interface Conflict {
  readonly name: string;
  readonly message: string;
}

interface NameDialogProps {
  readonly taken: readonly string[];
  readonly change: { readonly isPending: boolean; readonly error: unknown };
  readonly onSave: (name: string) => void;
  readonly onClose: () => void;
}

function NameDialog({ taken, change, onSave, onClose }: NameDialogProps) {
  const [name, setName] = useState('');
  const trimmed = name.trim();
  const problem = trimmed === '' ? undefined : caseNameProblem(trimmed);
  return (
    <FormDialog
      title="Save as case"
      submitLabel={taken.includes(trimmed) ? 'Replace case' : 'Save case'}
      change={change}
      canSubmit={trimmed !== '' && problem === undefined}
      onSubmit={() => onSave(trimmed)}
      onClose={onClose}
    >
      <TextField
        label="Name"
        value={name}
        onChange={setName}
        error={problem === undefined ? undefined : `The name ${problem}.`}
        hint={
          taken.includes(trimmed)
            ? 'Replaces the existing case.'
            : 'The variables and the conversation are saved with the preset, for everyone who can read it.'
        }
        placeholder="Angry customer"
        focusOnMount
      />
    </FormDialog>
  );
}
