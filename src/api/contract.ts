import { accountOperations } from './account.ts';
import { aliasOperations } from './aliases.ts';
import { analyticsOperations } from './analytics.ts';
import { auditOperations } from './audit.ts';
import { captureOperations } from './captures.ts';
import { caseOperations } from './cases.ts';
import { draftOperations } from './drafts.ts';
// Names the schemas of errors, to which every operation refers.
import './errors.ts';
import { eventOperations } from './events.ts';
import { generationContentOperations } from './generation-content.ts';
import { generationOperations } from './generations.ts';
import { inferenceOperations } from './inference.ts';
import { keyOperations } from './keys.ts';
import { labelOperations } from './labels.ts';
import { memberOperations } from './members.ts';
import { modelOperations } from './models.ts';
import { peopleOperations } from './people.ts';
import { presetUsageOperations } from './preset-usage.ts';
import { presetOperations } from './presets.ts';
import { formOperations, relayedOperations } from './relayed-calls.ts';
import { repricingOperations } from './repricing.ts';
import { namedSchemas } from './schema-parts.ts';
import { signedInOperations, signInOperations } from './sign-in.ts';
import { storedResponseOperations } from './stored-responses.ts';
import { exportOperations, importOperations } from './transfer.ts';
import { versionOperations } from './versions.ts';
import { workspaceOperations } from './workspaces.ts';

/** Every operation below `/api/v1`, by its route. */
export const contract = {
  ...signInOperations,
  ...inferenceOperations,
  ...relayedOperations,
  ...storedResponseOperations,
  ...formOperations,
  ...modelOperations,
  ...captureOperations,
  ...presetOperations,
  ...versionOperations,
  ...labelOperations,
  ...aliasOperations,
  ...caseOperations,
  ...draftOperations,
  ...presetUsageOperations,
  ...eventOperations,
  ...exportOperations,
  ...importOperations,
  ...keyOperations,
  ...workspaceOperations,
  ...memberOperations,
  ...peopleOperations,
  ...auditOperations,
  ...generationOperations,
  ...generationContentOperations,
  ...analyticsOperations,
  ...repricingOperations,
  ...accountOperations,
  ...signedInOperations,
};

/** Every named schema, by its name in the OpenAPI document. */
export const schemas = namedSchemas();
