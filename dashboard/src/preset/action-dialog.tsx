import { MakeLiveDialog } from '../compare/make-live-dialog.tsx';
import { AddLabelDialog } from './add-label-dialog.tsx';
import { ArchiveDialog } from './archive-dialog.tsx';
import { DisableDialog } from './disable-dialog.tsx';
import { EditDialog } from './edit-dialog.tsx';
import { MoveLabelDialog } from './move-label-dialog.tsx';
import type { OpenDialog } from './use-page-actions.ts';

interface ActionDialogProps extends OpenDialog {
  readonly onClose: () => void;
}

/** Renders the dialog that a component on the preset page has requested. */
export function ActionDialog({ request, snapshot, onClose }: ActionDialogProps) {
  const shared = { snapshot, onClose };
  switch (request.kind) {
    case 'edit':
      return <EditDialog {...shared} />;
    case 'disable':
      return <DisableDialog {...shared} />;
    case 'archive':
      return <ArchiveDialog {...shared} />;
    case 'make-live':
      return <MakeLiveDialog slug={snapshot.preset.slug} version={request.version} {...shared} />;
    case 'add-label':
      return <AddLabelDialog version={request.version} {...shared} />;
    case 'move-label':
      return <MoveLabelDialog label={request.label} version={request.version} {...shared} />;
  }
}
