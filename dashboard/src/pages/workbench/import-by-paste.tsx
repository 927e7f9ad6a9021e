import type { ClipboardEvent, ReactNode } from 'react';
import { bodyOfCommand } from '../capture/curl-command.ts';
import type { Draft } from '../capture/drafts.ts';
import { importRequest } from './import-request.ts';
import { useRunSession } from './run/run-session.ts';
import type { RunState } from './run/run-state.ts';
import type { useShownDraft } from './shown-draft.ts';
import styles from './workbench.module.css';
import { useWorkbench } from './workbench.ts';

interface ImportedByPasteProps {
  readonly change: (changed: Partial<Draft>) => void;
  readonly offerReturn: ReturnType<typeof useShownDraft>['offerReturn'];
  readonly children: ReactNode;
}

/**
 * A pasted curl line, or a request pasted outside of a field, replaces the draft; its conversation
 * is ready to run. In a field, JSON is text like any other.
 */
export function ImportedByPaste({ change, offerReturn, children }: ImportedByPasteProps) {
  const { canEdit, base, draft, dialect } = useWorkbench();
  const runSession = useRunSession();
  function importPasted(event: ClipboardEvent) {
    const pasted = event.clipboardData.getData('text/plain');
    const isText = isEditable(event.target) && bodyOfCommand(pasted) === undefined;
    const request = canEdit && !isText ? importRequest(pasted) : undefined;
    if (request === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    const before = { text: draft.get().text, dialect, from: base };
    const runBefore = runSession.state.get();
    const showRun = (run: RunState) => {
      runSession.clear();
      runSession.change(run);
    };
    change({ text: request.text, dialect: request.dialect });
    showRun({ ...runBefore, messages: request.messages, caseName: undefined });
    offerReturn('Imported the request', before, () => showRun(runBefore));
  }
  return (
    <div className={styles.page} onPasteCapture={importPasted}>
      {children}
    </div>
  );
}

/** Whether the user pastes into a field. An editor is a field, whose inside the page does not see. */
function isEditable(target: EventTarget): boolean {
  return target instanceof Element && (target.matches('input, textarea') || target.shadowRoot !== null);
}
