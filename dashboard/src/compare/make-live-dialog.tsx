import type { SeenPreset } from '../api/presets.ts';
import { Dialog } from '../parts/dialog.tsx';

interface MakeLiveDialogProps {
  readonly slug: string;
  readonly seen: SeenPreset;
  readonly version: number;
  readonly onClose: () => void;
}

export function MakeLiveDialog({ version, onClose }: MakeLiveDialogProps) {
  return (
    <Dialog title={`Make version ${version} live`} onClose={onClose}>
      <p>Version {version}</p>
    </Dialog>
  );
}
