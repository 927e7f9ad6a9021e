import type { PresetStore } from '../core/presets/preset-storage.ts';
import type { Storage } from '../core/storage.ts';
import { accountStore } from './accounts.ts';
import { auditStore } from './audit.ts';
import { BackgroundIndexer, withMemberIndexing, withPresetIndexing } from './background-indexer.ts';
import { contentStore } from './call-contents.ts';
import { caseStore } from './cases.ts';
import { changePreset } from './change-preset.ts';
import { CreateQueue } from './create-queue.ts';
import type { DatabaseOptions, OpenDatabase } from './database.ts';
import { deviceStore } from './devices.ts';
import { draftStore } from './drafts.ts';
import { identityStore } from './identities.ts';
import { indexBatch as indexMembers } from './index-members.ts';
import { createPresetIndexing } from './index-presets.ts';
import { keyStore } from './keys.ts';
import { ledgerStore } from './ledger.ts';
import { memberStore } from './members.ts';
import { organizationStore } from './organizations.ts';
import { presetCallStore } from './preset-calls.ts';
import { provisionedGroupStore } from './provisioned-groups.ts';
import { provisionedUserStore } from './provisioned-users.ts';
import { presetReads } from './read-presets.ts';
import { secretStore } from './secrets.ts';
import { sessionStore } from './sessions.ts';
import { spendStore } from './spending.ts';
import { workspaceStore } from './workspaces.ts';

/** Assembles the stores over an open database, which closes with the storage. */
export function createStorage(database: OpenDatabase, options: DatabaseOptions): Storage {
  const creates = new CreateQueue(database, options);
  const createIndexer = (noun: string, indexBatch: () => Promise<number | undefined>) =>
    new BackgroundIndexer({ noun, indexBatch, logError: options.logError });
  const memberIndexer = createIndexer('members', () => indexMembers(database));
  const presetIndexer = createIndexer('presets', createPresetIndexing(database));
  const presets: Omit<PresetStore, 'index'> = {
    ...presetReads(database),
    createVersion: (version) => creates.create(version),
    change: (...details) => changePreset(database, ...details),
  };
  return {
    presets: withPresetIndexing(presets, presetIndexer),
    drafts: draftStore(database),
    cases: caseStore(database),
    presetCalls: presetCallStore(database),
    keys: keyStore(database),
    sessions: sessionStore(database),
    members: withMemberIndexing(memberStore(database, memberIndexer), memberIndexer),
    workspaces: workspaceStore(database),
    audit: auditStore(database),
    organizations: organizationStore(database),
    accounts: accountStore(database),
    identities: identityStore(database),
    devices: deviceStore(database),
    secrets: secretStore(database),
    ledger: ledgerStore(database),
    spending: spendStore(database),
    contents: contentStore(database),
    provisioning: { ...provisionedUserStore(database), ...provisionedGroupStore(database) },
    ping: () => database.ping(),
    async close() {
      // All of these write.
      await Promise.all([memberIndexer.stop(), presetIndexer.stop(), creates.drain()]);
      await database.close();
    },
  };
}
