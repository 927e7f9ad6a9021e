import { ChevronDown } from 'lucide-react';
import { useState } from 'react';
import type { PresetCase } from '../../../../../src/api/cases.ts';
import { caseNameProblem } from '../../../../../src/core/presets/case-name.ts';
import { isSameJson, type JsonObject } from '../../../../../src/dialects/json-object.ts';
import { CaseChangedError, useCases, useChangeCase } from '../../../api/cases.ts';
import { Button, buttonClass } from '../../../components/button.tsx';
import { ConfirmDialog, FormDialog } from '../../../components/dialog.tsx';
import { SelectField, TextField } from '../../../components/fields.tsx';
import { Menu } from '../../../components/menu.tsx';
import { messageOf } from '../../../components/notice.tsx';
import { useToast } from '../../../components/toasts.tsx';
import styles from '../workbench.module.css';
import { useWorkbench } from '../workbench.ts';
import { caseInputs } from './case-inputs.ts';
import type { Message } from './conversation.ts';
import type { RunState } from './run-state.ts';

interface CaseBarProps {
  readonly state: RunState;
  readonly change: (changed: Partial<RunState>) => void;
  /** The values of the variables, as a call would pass them. */
  readonly variables: JsonObject;
  /** The conversation with what is typed. */
  readonly conversation: readonly Message[];
  /** Called after another case was loaded. */
  readonly onLoad: () => void;
}

/** Loads and saves test cases: the inputs of a run under a name, shared with the team. */
export function CaseBar({ state, change, variables, conversation, onLoad }: CaseBarProps) {
  const { slug, snapshot, canEdit } = useWorkbench();
  const cases = useCases(slug, snapshot.etag) ?? [];
  const saving = useChangeCase(slug);
  const showToast = useToast();
  const [isNaming, setIsNaming] = useState(false);
  const current = cases.find(({ name }) => name === state.caseName);
  // Other versions may have more variables.
  const content = {
    variables: { ...current?.variables, ...variables },
    messages: conversation as PresetCase['messages'],
  };
  const isChanged =
    current !== undefined &&
    !isSameJson(content, { variables: current.variables, messages: current.messages });

  const load = (name: string) => {
    const chosen = cases.find((other) => other.name === name);
    const { messages, composed, attachments, texts, caseName } = state;
    const { messages: said, texts: given } = chosen ? caseInputs(chosen) : noInputs;
    change({
      caseName: name === '' ? undefined : name,
      messages: said,
      texts: given,
      composed: '',
      attachments: [],
    });
    onLoad();
    // Inputs that were not saved as a case.
    if ((current === undefined || isChanged) && conversation.length > 0)
      showToast(chosen ? `Loaded the case ${name}` : 'Cleared the inputs', () =>
        change({ messages, composed, attachments, texts, caseName }),
      );
  };
  const [conflict, setConflict] = useState<Conflict>();
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
  const remove = (seen: PresetCase) =>
    saving.mutate(
      { name: seen.name, content: undefined, seen },
      {
        onSuccess: () => {
          change({ caseName: undefined });
          showToast(`Removed the case ${seen.name}`, () => save(seen.name, true));
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
            ['', cases.length === 0 ? 'None yet' : 'None'],
            ...cases.map(({ name }) => [name, name] as const),
          ]}
          onChange={load}
        />
      </div>
      {canEdit && current !== undefined && isChanged && (
        <Button isBusy={saving.isPending} onClick={() => save(current.name)}>
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
            { text: 'Save as case…', onClick: () => setIsNaming(true) },
            current && { text: 'Remove case', isDangerous: true, onClick: () => remove(current) },
          ]}
        />
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
            Your inputs replace theirs, which stay in the history of the preset. To keep both, cancel and
            choose “Save as case…” with another name.
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

/** A case that a colleague has changed. */
interface Conflict {
  readonly name: string;
  readonly message: string;
}

const noInputs = { messages: [], texts: new Map() };

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
