import { Button } from '../ui/button.tsx';
import { Notice } from '../ui/notice.tsx';

/** Tells the user that the form shows an unsaved draft instead of the saved version. */
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
