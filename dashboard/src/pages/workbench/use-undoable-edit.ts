import { useToast } from '../../components/toasts.tsx';
import { checkRequestText } from '../../features/request/check-request.ts';
import { revertEdit } from './revert-edit.ts';
import { reviseDraft } from './shown-draft.ts';
import { useWorkbench, type Workbench } from './workbench.ts';

/** Like `edit`, for changes that lose something: a toast offers to undo them on any page. */
export function useUndoableEdit() {
  const { home, dialect, base, draft, edit } = useWorkbench();
  const showToast = useToast();
  return (message: string, change: Parameters<Workbench['edit']>[0]) => {
    const before = draft.get().text;
    edit(change);
    const after = draft.get().text;
    showToast(message, () => {
      const isUndone = reviseDraft(home, { text: after, dialect, from: base }, (now) => {
        const reverted = revertEdit(before, after, now);
        return reverted !== undefined && checkRequestText(reverted).kind === 'valid' ? reverted : undefined;
      });
      if (!isUndone) showToast('Could not undo: this part has changed since');
    });
  };
}
