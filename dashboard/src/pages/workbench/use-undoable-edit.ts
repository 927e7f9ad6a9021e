import { useToast } from '../../components/toasts.tsx';
import { checkRequestText } from '../capture/check-request.ts';
import { revertEdit } from './revert-edit.ts';
import { useWorkbench, type Workbench } from './workbench.ts';

/** Like `edit`, for changes that lose something: a toast offers to undo them. */
export function useUndoableEdit() {
  const { draft, edit, replaceText, isOpen } = useWorkbench();
  const showToast = useToast();
  return (message: string, change: Parameters<Workbench['edit']>[0]) => {
    const before = draft.get().text;
    edit(change);
    const after = draft.get().text;
    showToast(message, () => {
      const reverted = revertEdit(before, after, draft.get().text);
      if (!isOpen()) showToast('Could not undo: the workbench is closed');
      else if (reverted === undefined || checkRequestText(reverted).kind !== 'valid')
        showToast('Could not undo: this part has changed since');
      else replaceText(reverted);
    });
  };
}
