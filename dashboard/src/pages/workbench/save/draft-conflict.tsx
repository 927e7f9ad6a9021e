import { useState } from 'react';
import { Badge } from '../../../components/badge.tsx';
import { Button } from '../../../components/button.tsx';
import { Dialog, DialogBody } from '../../../components/dialog.tsx';
import { LineDiff } from '../../../features/comparison/line-diff.tsx';
import { VersionDiff } from '../../../features/comparison/version-diff.tsx';
import type { DraftBody } from '../../../features/drafts/draft-sender.ts';
import { useWorkbench } from '../workbench.ts';
import { draftAsVersion } from './draft-as-version.ts';

interface DraftConflictProps {
  /** The draft on the server; undefined if another tab has discarded or saved it. */
  readonly other: DraftBody | undefined;
  /** Whether this tab has a draft, too. */
  readonly isChanged: boolean;
  /** The other draft is about to be shown. */
  readonly isBusy: boolean;
  /** Keeps what this tab has. */
  readonly onReplace: (other: DraftBody | undefined) => void;
  readonly onTake: (other: DraftBody) => void;
}

/**
 * Another tab of the same person has changed the draft. A line in the save bar, so that the text
 * does not move under the cursor, and a dialog with the differences.
 */
export function DraftConflict({ other, isChanged, isBusy, onReplace, onTake }: DraftConflictProps) {
  const [isOpen, setIsOpen] = useState(false);
  const close = () => setIsOpen(false);
  const title = titleOf(other, isChanged);
  // The primary button must never discard what was typed here.
  const keep = (
    <Button
      key="keep"
      isSmall={other === undefined}
      variant={isChanged && other !== undefined ? 'primary' : 'plain'}
      disabled={isBusy}
      onClick={() => {
        close();
        onReplace(other);
      }}
    >
      {isChanged ? 'Keep this text' : 'Discard other draft'}
    </Button>
  );
  const take = (taken: DraftBody) => (
    <Button
      key="take"
      variant={isChanged ? 'plain' : 'primary'}
      isBusy={isBusy}
      onClick={() => {
        close();
        onTake(taken);
      }}
    >
      {isChanged ? 'Use the other draft' : 'Open other draft'}
    </Button>
  );
  return (
    <>
      <span role="alert">
        <Badge tone="warning">{title}</Badge>
      </span>
      {other === undefined ? (
        keep
      ) : (
        <Button isSmall onClick={() => setIsOpen(true)}>
          Compare…
        </Button>
      )}
      {isOpen && other !== undefined && (
        <Dialog title={title} onClose={close} isWide isBusy={isBusy}>
          <DialogBody footer={isChanged ? [take(other), keep] : [keep, take(other)]}>
            <p className="muted">
              {isChanged
                ? 'The text on this page is not saved on the server until you choose.'
                : 'You changed it in another tab or on another device.'}
            </p>
            <DraftsDiff other={other} />
          </DialogBody>
        </Dialog>
      )}
    </>
  );
}

function titleOf(other: DraftBody | undefined, isChanged: boolean): string {
  if (!isChanged) return 'You have another draft of this preset';
  return other === undefined
    ? 'Not saved: you discarded or saved this draft in another tab'
    : 'Not saved: you changed this draft in another tab';
}

const titles = ['This page', 'The other draft'] as const;

/** By field, or by line while one of them is not a JSON object. */
function DraftsDiff({ other }: { readonly other: DraftBody }) {
  const { draft, dialect } = useWorkbench();
  // As it is now: the dialog covers the page.
  const { text } = draft.get();
  const from = draftAsVersion(text, dialect);
  const to = draftAsVersion(other.text, other.dialect ?? dialect);
  if (from && to) return <VersionDiff from={from} to={to} titles={titles} />;
  return <LineDiff label="Request" from={text} to={other.text} titles={titles} />;
}
