import { Button } from '../ui/button.tsx';
import { Notice } from '../ui/notice.tsx';

/** Says that the form shows a draft from earlier, so that nobody mistakes it for the saved version. */
export function DraftNotice({ onDiscard }: { readonly onDiscard: () => void }) {
  return (
    <Notice
      actions={
        <Button isSmall onClick={onDiscard}>
          Discard draft
        </Button>
      }
    >
      Unsaved draft restored.
    </Notice>
  );
}
