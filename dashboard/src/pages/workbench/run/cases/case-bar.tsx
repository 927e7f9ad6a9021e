import { ChevronDown } from 'lucide-react';
import { type KeyboardEvent, useMemo } from 'react';
import { isSameJson } from '../../../../../../src/core/json/json-object.ts';
import { useCases } from '../../../../api/cases.ts';
import { Button, buttonClass } from '../../../../components/button.tsx';
import { useCommands } from '../../../../components/commands.ts';
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
import { CasePicker } from './case-picker.tsx';
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
  const { slug, preset, canEdit } = useWorkbench();
  const { caseName, texts } = useStore(session.state, (all) => all);
  const { data, error, refetch } = useCases(slug, preset?.etag);
  const cases = data ?? [];
  const inputs = useMemo(() => data?.map(caseInputs), [data]);
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

  const load = (name: string | undefined) => {
    const chosen = cases.find((other) => other.name === name);
    if (chosen === undefined) return replaceInputs('Cleared the inputs', newInputs({}));
    const { messages, texts: given } = caseInputs(chosen);
    replaceInputs(
      `Loaded the case ${chosen.name}`,
      newInputs({ caseName: chosen.name, messages, texts: given }),
    );
  };
  const position = cases.findIndex(({ name }) => name === caseName);
  const [previous, following] = [cases[position - 1], cases[position + 1]];
  const loadNext = following && (() => load(following.name));
  const loadPrevious = previous && (() => load(previous.name));
  /** In the closed list. While it is open, the keys move in it. */
  const onKeyDown = (event: KeyboardEvent) => {
    const step = steps[event.key];
    const isOpen = event.target instanceof Element && event.target.getAttribute('aria-expanded') === 'true';
    if (event.altKey || step === undefined || isOpen) return;
    event.preventDefault();
    // The field would open its list.
    event.stopPropagation();
    if (step === 'next') loadNext?.();
    else loadPrevious?.();
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
  useCommands([
    canEdit && { title: 'Save as test case', group: 'Workbench', run: saveAs },
    loadNext && { title: 'Next test case', group: 'Workbench', run: loadNext },
    loadPrevious && { title: 'Previous test case', group: 'Workbench', run: loadPrevious },
  ]);

  return (
    <div className={styles.row}>
      <div className={styles.grow} onKeyDownCapture={onKeyDown}>
        <CasePicker cases={inputs} value={current?.name} onChange={load} />
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

const steps: Readonly<Record<string, 'next' | 'previous'>> = {
  ArrowDown: 'next',
  ArrowUp: 'previous',
};
