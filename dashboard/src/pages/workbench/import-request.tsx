import { createContext, type ReactNode, useContext } from 'react';
import type { Dialect } from '../../../../src/core/presets/preset.ts';
import { useCommands } from '../../components/commands.ts';
import { useToast } from '../../components/toasts.tsx';
import { importRequest } from '../../features/request/import-request.ts';
import { usePastedRequest } from '../../features/request/pasted-request.ts';
import { inputsOf } from '../../features/runs/run-state.ts';
import { useRunSession } from './run/run-session.ts';
import { useOfferUndo } from './shown-draft.ts';
import styles from './workbench.module.css';
import { useIncompleteField, useWorkbench } from './workbench.ts';
import { editorKeys, importCommand } from './workbench-commands.ts';

type Import = (pasted: string, dialect?: Dialect) => boolean;

const ImportContext = createContext<Import>(() => false);

/** Makes a request the draft, and its conversation the input of runs. Returns whether it is one. */
export function useImport(): Import {
  return useContext(ImportContext);
}

/** A request that is pasted replaces the draft. A command imports without pasting. */
export function ImportProvider({ children }: { readonly children: ReactNode }) {
  const { canEdit, base, draft, dialect, replaceText, keepBraces } = useWorkbench();
  const offerUndo = useOfferUndo();
  const incomplete = useIncompleteField();
  const runSession = useRunSession();
  const showToast = useToast();

  function importText(pasted: string, known?: Dialect): boolean {
    const request = canEdit ? importRequest(pasted, known) : undefined;
    if (request === undefined) return false;
    // The draft that can be restored does not contain this text.
    if (incomplete !== undefined) {
      showToast(`Cannot import: ${incomplete.label} is incomplete`);
      return true;
    }
    const before = { text: draft.get().text, dialect, from: base };
    replaceText(request.text, request.dialect);
    keepBraces(false);
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
    offerUndo(`Imported the request${loss}`, before, { onUndo: undoInputs ?? clearInputs });
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

  return (
    <ImportContext value={importText}>
      <div className={styles.page}>{children}</div>
    </ImportContext>
  );
}
