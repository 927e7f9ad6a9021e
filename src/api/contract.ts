import { auditOperations } from './audit.ts';
import { captureOperations } from './captures.ts';
import { eventOperations } from './events.ts';
import { inferenceOperations } from './inference.ts';
import { keyOperations } from './keys.ts';
import { labelOperations } from './labels.ts';
import { memberOperations } from './members.ts';
import { modelOperations } from './models.ts';
import { presetOperations } from './presets.ts';
import { exportOperations, importOperations } from './transfer.ts';
import { versionOperations } from './versions.ts';
import { workspaceOperations } from './workspaces.ts';

/** Every operation below `/api/v1`, by its route. */
export const contract = {
  ...inferenceOperations,
  ...modelOperations,
  ...captureOperations,
  ...presetOperations,
  ...versionOperations,
  ...labelOperations,
  ...eventOperations,
  ...exportOperations,
  ...importOperations,
  ...keyOperations,
  ...workspaceOperations,
  ...memberOperations,
  ...auditOperations,
};
