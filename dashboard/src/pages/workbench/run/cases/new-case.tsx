import { useState } from 'react';
import type { PresetCase } from '../../../../../../src/api/cases.ts';
import { useChangeCase } from '../../../../api/cases.ts';
import { Button } from '../../../../components/button.tsx';
import { ConfirmDialog } from '../../../../components/dialog.tsx';
import { submitOnCtrlEnter, TextField } from '../../../../components/fields.tsx';
import { ErrorNotice } from '../../../../components/notice.tsx';
import { useToast } from '../../../../components/toasts.tsx';
import { userMessage } from '../../../../features/runs/message.ts';
import type { VariableTexts } from '../../../../features/runs/run-state.ts';
import type { Variable } from '../../../../features/version-content/describe-variable.ts';
import { useWorkbench } from '../../workbench.ts';
import { readVariables } from '../variable-values.ts';
import { VariablesForm } from '../variables-form.tsx';
import styles from './all-cases.module.css';
import { caseVariables, nameProblem } from './case-inputs.ts';

interface NewCaseProps {
  /** Of all cases. */
  readonly names: readonly string[];
  /** Of all columns. */
  readonly variables: readonly Variable[];
  readonly onSaved: () => void;
  readonly onClose: () => void;
}

/** A form for one case after the other: the first message and the variables. */
export function NewCase(props: NewCaseProps) {
  const [saved, setSaved] = useState(0);
  const onSaved = () => {
    props.onSaved();
    setSaved(saved + 1);
  };
  // An empty form for the next case, which takes the focus.
  return <CaseForm key={saved} {...props} onSaved={onSaved} />;
}

function CaseForm({ names, variables, onSaved, onClose }: NewCaseProps) {
  const { slug } = useWorkbench();
  const saving = useChangeCase(slug);
  const showToast = useToast();
  const [name, setName] = useState('');
  const [message, setMessage] = useState('');
  const [texts, setTexts] = useState<VariableTexts>(new Map());
  const [isExpanded, setIsExpanded] = useState(false);
  const [isAsked, setIsAsked] = useState(false);
  const trimmed = name.trim();
  const problem = trimmed === '' ? undefined : nameProblem(trimmed, names.includes(trimmed));
  const { problems } = readVariables(variables, texts);
  const invalid = new Map([...problems].filter(([variable]) => (texts.get(variable) ?? '') !== ''));
  const isEmpty = [name, message, ...texts.values()].every((text) => text === '');
  const canSave = trimmed !== '' && problem === undefined && invalid.size === 0;

  function save() {
    if (!canSave || saving.isPending) return;
    const messages = message.trim() === '' ? [] : [userMessage(message, [])];
    const content = {
      variables: caseVariables(undefined, variables, texts),
      messages: messages as PresetCase['messages'],
      note: null,
    };
    saving.mutate(
      { name: trimmed, content, seen: undefined },
      {
        onSuccess: () => {
          showToast(`Saved the case ${trimmed}`);
          onSaved();
        },
      },
    );
  }

  return (
    <>
      <form
        className={styles.newCaseForm}
        aria-label="New case"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          save();
        }}
        onKeyDown={(event) => {
          if (event.key === 'Escape' && isEmpty && !event.nativeEvent.isComposing) onClose();
          submitOnCtrlEnter(event);
        }}
      >
        <TextField
          label="Name"
          value={name}
          onChange={setName}
          error={problem}
          placeholder="Angry customer"
          focusOnMount
        />
        <TextField label="User message" lines={2} value={message} onChange={setMessage} />
        {variables.length > 0 && (
          <VariablesForm
            variables={variables}
            texts={texts}
            onChange={setTexts}
            problems={invalid}
            noteOf={() => undefined}
            isExpanded={isExpanded}
            onExpand={setIsExpanded}
          />
        )}
        {saving.error !== null && <ErrorNotice error={saving.error} title="Could not save the case" />}
        <div className={styles.toolbar}>
          <Button type="submit" variant="primary" disabled={!canSave} isBusy={saving.isPending}>
            Save case
          </Button>
          <Button onClick={isEmpty ? onClose : () => setIsAsked(true)}>Close</Button>
        </div>
      </form>
      {isAsked && (
        <ConfirmDialog
          title="Discard this case?"
          submitLabel="Discard case"
          change={{ isPending: false, error: null }}
          onSubmit={onClose}
          onClose={() => setIsAsked(false)}
        >
          <p>The case is not saved yet.</p>
        </ConfirmDialog>
      )}
    </>
  );
}
