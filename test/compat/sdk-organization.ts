import type { HTTPClient } from '@openrouter/sdk';
import { expect } from 'vitest';
import { managementKey, type TestServer } from '../support/server.ts';
import { sdkClient } from './sdk-client.ts';

export type SdkOrganization = Awaited<ReturnType<typeof sdkOrganization>>;

/** What a management key does with the SDK, in fewer words. */
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
    /** What the SDK has no call for. Answers ids. */
    async addMembers(people: readonly object[]): Promise<string[]> {
      const ids: string[] = [];
      for (const person of people) {
        const answer = await server.post('/api/v1/organization/members', person, { key: managementKey });
        expect([answer.status, answer.text]).toEqual([201, expect.any(String)]);
        ids.push(answer.body.data.id);
      }
      return ids;
    },
  };
}
