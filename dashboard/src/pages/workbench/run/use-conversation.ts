import { useState } from 'react';
import { flushSync } from 'react-dom';
import { useStore } from '../../../components/store.ts';
import { useToast } from '../../../components/toasts.tsx';
import { type Message, userMessage } from '../../../features/runs/message.ts';
import { inputsOf, type VariableTexts } from '../../../features/runs/run-state.ts';
import { type FollowUp, followUp } from './conversation.ts';
import type { ColumnRun } from './run-result.ts';
import { isRunning, type RunSession, useReplaceInputs } from './run-session.ts';
import { type Target, useTargets } from './use-targets.ts';
import { readVariables, rejectedValues } from './variable-values.ts';

/**
 * Runs a conversation on its columns. Before a run, it marks inputs that are missing or invalid,
 * and calls `focusInvalid` to move the focus to the first of them.
 */
export function useConversation(session: RunSession, focusInvalid: () => void) {
  const { change, start, stop } = session;
  const state = useStore(session.state, (all) => all);
  const { messages, composed, attachments, texts, columns } = state;
  const runs = useStore(session.runs, (all) => all);
  const { sources, targets, problemOf, callFor } = useTargets(columns);
  const showToast = useToast();
  const replaceInputs = useReplaceInputs(session);
  /** The columns whose invalid variables are marked. */
  const [marked, setMarked] = useState<readonly number[]>([]);
  const [showsMissing, setShowsMissing] = useState(false);
  const isReady = targets.every(({ inputs }) => inputs !== undefined);
  const isBusy = [...runs.values()].some(isRunning);
  /** The conversation with what was typed. */
  const next: FollowUp =
    composed.trim() !== '' || attachments.length > 0
      ? followUp(
          messages,
          targets.map(({ column }) => runs.get(column.id)),
          userMessage(composed, attachments),
        )
      : { messages };
  const isMessageMissing = (chosen: readonly Target[]) =>
    next.messages.length === 0 && chosen.some(({ needsMessage }) => needsMessage);

  function runAll(conversation: readonly Message[], chosen = targets) {
    for (const target of chosen) {
      const call = callFor(target, conversation, texts);
      if (call !== undefined) void start(target.column.id, call);
    }
  }
  /**
   * Marks what is wrong with the variables of these columns and moves the focus there. Returns
   * whether nothing is.
   */
  function checkVariables(chosen: readonly Target[] = targets): boolean {
    const isValid = invalidVariables(chosen, texts).size === 0;
    flushSync(() => setMarked(isValid ? [] : chosen.map(({ column }) => column.id)));
    if (!isValid) focusInvalid();
    return isValid;
  }
  function checkInputs(chosen: readonly Target[], needsMessage: boolean): boolean {
    const isMissing = needsMessage && isMessageMissing(chosen);
    flushSync(() => setShowsMissing(isMissing));
    if (!checkVariables(chosen)) return false;
    if (isMissing) focusInvalid();
    return !isMissing;
  }

  return {
    ...{ state, runs, sources, targets, callFor, isBusy, isReady, next, checkVariables },
    variableProblems: new Map([
      ...rejectedVariables(targets, runs, texts),
      ...invalidVariables(
        targets.filter(({ column }) => marked.includes(column.id)),
        texts,
      ),
    ]),
    messageProblem: showsMissing && isMessageMissing(targets) ? 'Enter a message.' : undefined,
    /** Whether a column has a request to preview; it needs no message. */
    canPreview: (column: number | undefined) =>
      checkInputs(
        targets.filter((target) => target.column.id === column),
        false,
      ),
    /** Runs all columns, or only one; stops them if they are running. */
    submit(column?: number) {
      const chosen = targets.filter((target) => column === undefined || target.column.id === column);
      if (chosen.some((target) => isRunning(runs.get(target.column.id)))) return stop(column);
      if (chosen.some(({ inputs }) => inputs === undefined))
        return showToast('Cannot run yet: the draft is not valid, or a version is still loading');
      if (!checkInputs(chosen, true)) return;
      const cannotRun = problemOf(chosen) ?? next.problem;
      if (cannotRun !== undefined) return showToast(cannotRun);
      change({ messages: next.messages, composed: '', attachments: [] });
      runAll(next.messages, chosen);
    },
    /** The answers to an edited question are not those to the old one. */
    runFrom(index: number) {
      if (isBusy || !isReady || !checkInputs(targets, false)) return;
      const problem = problemOf(targets);
      if (problem !== undefined) return showToast(problem);
      const kept = messages.slice(0, index + 1);
      const inputs = { ...inputsOf(state), messages: kept, toolResults: undefined };
      replaceInputs(`Removed the turns after turn ${index + 1}`, inputs);
      runAll(kept);
    },
    /** Continues with messages from a column: its response, or results of the tools it called. */
    continueWith(added: readonly Message[], isRunNext: boolean) {
      const problem = problemOf(targets);
      if (isRunNext && problem !== undefined) return showToast(problem);
      const conversation = [...messages, ...added];
      session.clear();
      change({ messages: conversation, toolResults: undefined });
      if (isRunNext) runAll(conversation);
    },
    clear: () =>
      replaceInputs('Cleared the conversation', {
        ...inputsOf(state),
        messages: [],
        toolResults: undefined,
      }),
  };
}

/** By variable name. A text has to fit every column, whose versions may declare other types. */
function invalidVariables(targets: readonly Target[], texts: VariableTexts): ReadonlyMap<string, string> {
  return new Map(targets.flatMap(({ variables }) => [...readVariables(variables, texts).problems]));
}

/** Values that the server has rejected, by variable name. */
function rejectedVariables(
  targets: readonly Target[],
  runs: ReadonlyMap<number, ColumnRun>,
  texts: VariableTexts,
): ReadonlyMap<string, string> {
  const rejected = new Map<string, string>();
  for (const { column, variables } of targets) {
    const run = runs.get(column.id);
    // Errors of other versions don't apply.
    if (run?.inputs.source !== column.source) continue;
    const { values } = readVariables(variables, texts);
    for (const [name, problem] of rejectedValues(run.error, run.inputs.variables, values))
      rejected.set(name, problem);
  }
  return rejected;
}
