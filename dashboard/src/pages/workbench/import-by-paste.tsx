import type { ReactNode } from 'react';
import { useSession } from '../../api/session.ts';
import { useCommands } from '../../components/commands.ts';
import { useToast } from '../../components/toasts.tsx';
import { usePastedRequest } from '../capture/pasted-request.ts';
import { importRequest } from './import-request.ts';
import { useRunSession } from './run/run-session.ts';
import { inputsOf } from './run/run-state.ts';
import { useOfferReturn } from './shown-draft.ts';
import { discardedDrafts } from './undo-offers.ts';
import styles from './workbench.module.css';
import { useWorkbench } from './workbench.ts';
import { editorKeys, importCommand } from './workbench-commands.ts';

interface ImportedByPasteProps {
  /** Whether there is a draft that an import replaces. */
  readonly isChanged: boolean;
  /** That of the draft, for the history. */
  readonly note: string | undefined;
  readonly children: ReactNode;
}

/**
 * A request that is pasted replaces the draft; its conversation is ready to run. A command imports
 * without pasting.
 */
export function ImportedByPaste({ isChanged, note, children }: ImportedByPasteProps) {
  const { canEdit, base, snapshot, draft, dialect, replaceText } = useWorkbench();
  const session = useSession();
  const offerReturn = useOfferReturn();
  const runSession = useRunSession();
  const showToast = useToast();

  /** Returns whether the text is a request. */
  function importText(pasted: string): boolean {
    const request = canEdit ? importRequest(pasted) : undefined;
    if (request === undefined) return false;
    const before = { text: draft.get().text, dialect, note, from: base };
    replaceText(request.text, request.dialect);
    const inputs = inputsOf(runSession.state.get());
    const undoInputs = runSession.replaceInputs({
      ...inputs,
      messages: request.messages,
      caseName: undefined,
      toolResults: undefined,
    });
    const clearInputs = () => {
      runSession.clear();
      runSession.change(inputs);
    };
    const loss = request.hasLostCache ? ', without cache_control of its prompt' : '';
    offerReturn(`Imported the request${loss}`, before, undoInputs ?? clearInputs);
    if (isChanged) discardedDrafts.offer(session, snapshot.preset.id, before);
    return true;
  }

  usePastedRequest(importText);

  const importFromClipboard = () =>
    navigator.clipboard.readText().then(
      (text) => importText(text) || showToast('The clipboard does not contain a request'),
      () =>
        showToast('The browser does not allow reading the clipboard. Paste the request on this page instead'),
    );
  useCommands([canEdit && { ...importCommand, run: () => void importFromClipboard() }, ...editorKeys]);

  return <div className={styles.page}>{children}</div>;
}
