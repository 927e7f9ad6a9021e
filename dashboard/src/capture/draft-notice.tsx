import { Button } from '../parts/button.tsx';
import { Notice } from '../parts/notice.tsx';

export function DraftNotice({ onStartAgain }: { readonly onStartAgain: () => void }) {
  return (
    <Notice
      actions={
        <Button isSmall onClick={onStartAgain}>
          Start again
        </Button>
      }
    >
      This is what you typed here before and have not saved.
    </Notice>
  );
}
