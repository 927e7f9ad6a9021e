import { ChevronDown } from 'lucide-react';
import { isSameJson } from '../../../../../../src/core/json-object.ts';
import { useCases } from '../../../../api/cases.ts';
import { Button, buttonClass } from '../../../../components/button.tsx';
import { useCommands } from '../../../../components/commands.ts';
import { SelectField } from '../../../../components/fields.tsx';
import { Menu } from '../../../../components/menu.tsx';
import { ErrorNotice } from '../../../../components/notice.tsx';
import { useStore } from '../../../../components/store.ts';
import { useToast } from '../../../../components/toasts.tsx';
import type { Message } from '../../../../features/runs/message.ts';
import { newInputs } from '../../../../features/runs/run-state.ts';
import type { Variable } from '../../../../features/version-content/describe-variable.ts';
import styles from '../../workbench.module.css';
import { useWorkbench } from '../../workbench.ts';
import { type RunSession, useReplaceInputs } from '../run-session.ts';
import { CaseChangeDialog } from './case-change-dialog.tsx';
import { caseInputs, caseVariables } from './case-inputs.ts';
import { type CaseContent, useCaseChanges } from './use-case-changes.ts';

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
  const { caseName, texts } = useStore(session.state, (all) => all);
  const { data, error, refetch } = useCases(slug, snapshot.etag);
  const cases = data ?? [];
  const current = cases.find(({ name }) => name === caseName);
  const content: CaseContent = {
    variables: caseVariables(current?.variables, declared, texts),
    messages: conversation as CaseContent['messages'],
  };
  const isChanged =
    current !== undefined &&
    !isSameJson(content, { variables: current.variables, messages: current.messages });
  const changes = useCaseChanges(session, cases, content);
  const replaceInputs = useReplaceInputs(session);
  const showToast = useToast();

  const load = (name: string) => {
    const chosen = cases.find((other) => other.name === name);
    if (chosen === undefined) return replaceInputs('Cleared the inputs', newInputs({}));
    const { messages, texts: given } = caseInputs(chosen);
    replaceInputs(`Loaded the case ${name}`, newInputs({ caseName: name, messages, texts: given }));
  };
  /** A value of the wrong type would be missing in the case. */
  const canSave = () => {
    const isValid = checkVariables();
    if (!isValid) showToast('Fix the variables to save the case');
    return isValid;
  };
  const saveAs = () => canSave() && changes.open({ kind: 'save' });
  const open = (kind: 'edit' | 'duplicate' | 'remove') => () =>
    current && changes.open({ kind, seen: current });
  useCommands([canEdit && { title: 'Save as test case', group: 'Workbench', run: saveAs }]);

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
        <Button isBusy={changes.isPending} onClick={() => canSave() && changes.save(current.name)}>
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
            { text: 'Save as case…', onClick: saveAs },
            current && { text: 'Edit name and note…', onClick: open('edit') },
            current && { text: 'Duplicate case…', onClick: open('duplicate') },
            current && { text: 'Remove case…', isDangerous: true, onClick: open('remove') },
          ]}
        />
      )}
      {current?.note != null && <p className={styles.caseNote}>{current.note}</p>}
      {error !== null && data === undefined && (
        <ErrorNotice error={error} title="Could not load the test cases" retry={() => void refetch()} />
      )}
      {changes.dialog && (
        <CaseChangeDialog dialog={changes.dialog} changes={changes} names={cases.map(({ name }) => name)} />
      )}
    </div>
  );
}
