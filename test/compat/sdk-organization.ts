import type { HTTPClient } from '@openrouter/sdk';
import { expect } from 'vitest';
import { managementKey, type TestServer } from '../support/server.ts';
import { sdkClient } from './sdk-client.ts';

export type SdkOrganization = Awaited<ReturnType<typeof sdkOrganization>>;

/** Shorthands for SDK calls with a management key. */
export async function sdkOrganization(server: TestServer) {
  const client = (key = managementKey, httpClient?: HTTPClient) => sdkClient(server, key, httpClient);
  const { result } = await client().organization.listMembers();
  const adminId = result.data[0]?.id ?? '';
  return {
    client,
    adminId,
    create: async (slug: string, more: object = {}) =>
      (await client().workspaces.create({ createWorkspaceRequest: { name: slug, slug, ...more } })).data,
    createKey: (workspaceId: string, creatorUserId?: string) =>
      client().apiKeys.create({
        requestBody: { name: 'k', workspaceId, ...(creatorUserId !== undefined && { creatorUserId }) },
      }),
    add: (id: string, userIds: string[]) =>
      client().workspaces.bulkAddMembers({ id, bulkAddWorkspaceMembersRequest: { userIds } }),
    remove: (id: string, userIds: string[]) =>
      client().workspaces.bulkRemoveMembers({ id, bulkRemoveWorkspaceMembersRequest: { userIds } }),
    /** The SDK has no call for this. Returns the ids of the new members. */
    async addMembers(people: readonly object[]): Promise<string[]> {
      const ids: string[] = [];
      for (const person of people) {
        const response = await server.post('/api/v1/organization/members', person, { key: managementKey });
        expect([response.status, response.text]).toEqual([201, expect.any(String)]);
        ids.push(response.body.data.id);
      }
      return ids;
    },
  };
}
