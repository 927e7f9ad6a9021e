import { MakeLiveDialog } from '../compare/make-live-dialog.tsx';
import { AddLabelDialog } from './add-label-dialog.tsx';
import { ArchiveDialog } from './archive-dialog.tsx';
import { DisableDialog } from './disable-dialog.tsx';
import { EditDialog } from './edit-dialog.tsx';
import { MoveLabelDialog } from './move-label-dialog.tsx';
import type { Asked } from './use-page-actions.ts';

interface AskedDialogProps extends Asked {
  readonly onClose: () => void;
}

/** The dialog of a question. */
export function AskedDialog({ question, seen, onClose }: AskedDialogProps) {
  const shared = { seen, onClose };
  switch (question.kind) {
    case 'edit':
      return <EditDialog {...shared} />;
    case 'disable':
      return <DisableDialog {...shared} />;
    case 'archive':
      return <ArchiveDialog {...shared} />;
    case 'make-live':
      return <MakeLiveDialog slug={seen.preset.slug} version={question.version} {...shared} />;
    case 'add-label':
      return <AddLabelDialog version={question.version} {...shared} />;
    case 'move-label':
      return <MoveLabelDialog label={question.label} version={question.version} {...shared} />;
  }
}
