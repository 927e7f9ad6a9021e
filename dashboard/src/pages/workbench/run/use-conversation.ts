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
 * Runs a conversation on its columns. Before a run, it marks inputs that are missing or invalid, and
 * calls `focusInvalid` to move the focus to the first of them.
 */
export function useConversation(session: RunSession, focusInvalid: () => void) {
  const { change, start, stop } = session;
  const state = useStore(session.state, (all) => all);
  const { messages, composed, attachments, texts, columns } = state;
  const runs = useStore(session.runs, (all) => all);
  const { sources, targets, problem, callFor } = useTargets(columns);
  const showToast = useToast();
  const replaceInputs = useReplaceInputs(session);
  const [showsProblems, setShowsProblems] = useState(false);
  const [showsMissing, setShowsMissing] = useState(false);
  const { invalid, rejected } = variableProblems(targets, runs, texts);
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
  const isMessageMissing = next.messages.length === 0 && targets.some(({ needsMessage }) => needsMessage);

  function runAll(conversation: readonly Message[]) {
    for (const target of targets) {
      const call = callFor(target, conversation, texts);
      if (call !== undefined) void start(target.column.id, call);
    }
  }
  /** Marks what is wrong with the variables and moves the focus there. Returns whether nothing is. */
  function checkVariables(): boolean {
    const isValid = invalid.size === 0;
    flushSync(() => setShowsProblems(!isValid));
    if (!isValid) focusInvalid();
    return isValid;
  }
  function checkInputs(needsMessage: boolean): boolean {
    const isMissing = needsMessage && isMessageMissing;
    flushSync(() => setShowsMissing(isMissing));
    if (!checkVariables()) return false;
    if (isMissing) focusInvalid();
    return !isMissing;
  }

  return {
    ...{ state, runs, sources, targets, callFor, isBusy, isReady, next, checkVariables },
    variableProblems: new Map([...rejected, ...(showsProblems ? invalid : [])]),
    messageProblem: showsMissing && isMessageMissing ? 'Enter a message.' : undefined,
    /** Whether there is a request to preview; it needs no message. */
    canPreview: () => checkInputs(false),
    submit() {
      if (isBusy) return stop();
      if (!isReady) return showToast('Cannot run yet: the draft is not valid, or a version is still loading');
      if (!checkInputs(true)) return;
      const cannotRun = problem ?? next.problem;
      if (cannotRun !== undefined) return showToast(cannotRun);
      change({ messages: next.messages, composed: '', attachments: [] });
      runAll(next.messages);
    },
    /** The answers to an edited question are not those to the old one. */
    runFrom(index: number) {
      if (isBusy || !isReady || !checkInputs(false)) return;
      if (problem !== undefined) return showToast(problem);
      const kept = messages.slice(0, index + 1);
      const inputs = { ...inputsOf(state), messages: kept, toolResults: undefined };
      replaceInputs(`Removed the turns after turn ${index + 1}`, inputs);
      runAll(kept);
    },
    /** Continues with messages from a column: its response, or results of the tools it called. */
    continueWith(added: readonly Message[], isRunNext: boolean) {
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

/** By variable name: texts that are not values, and values that the server has rejected. */
function variableProblems(
  targets: readonly Target[],
  runs: ReadonlyMap<number, ColumnRun>,
  texts: VariableTexts,
) {
  const invalid = new Map<string, string>();
  const rejected = new Map<string, string>();
  for (const { column, variables } of targets) {
    // A text has to fit every column, whose versions may declare other types.
    const { values, problems } = readVariables(variables, texts);
    for (const [name, problem] of problems) invalid.set(name, problem);
    const run = runs.get(column.id);
    // What another version rejects says nothing about this one.
    if (run?.inputs.source !== column.source) continue;
    for (const [name, problem] of rejectedValues(run.error, run.inputs.variables, values))
      rejected.set(name, problem);
  }
  return { invalid, rejected };
}
