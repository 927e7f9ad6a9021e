import type { ResolvedKey } from '../../src/core/organization/caller.ts';
import { resolvedKey, sampleKey } from './sample-key.ts';

/** A caller with every permission, for tests of layers above the database. */
export const adminCaller: ResolvedKey = resolvedKey(sampleKey({ kind: 'management', workspaceId: null }));
