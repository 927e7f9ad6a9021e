import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DeviceRequest } from '../../src/core/accounts/device.ts';
import { newId } from '../../src/core/identifiers.ts';
import { createKey } from '../../src/core/organization/key-change.ts';
import type { Member } from '../../src/core/organization/organization.ts';
import { type AccountStorage, createAccountStorage, randomHash } from '../support/account-storage.ts';
import { engines } from '../support/engines.ts';
import { time } from '../support/preset-storage.ts';

describe.each(engines)('device requests on %s', (engine) => {
  let acme: AccountStorage;
  beforeAll(async () => {
    acme = await createAccountStorage(engine);
  });
  afterAll(() => acme.close());

  const create = async (seconds = 10): Promise<DeviceRequest> => {
    const request: DeviceRequest = {
      deviceCodeHash: randomHash(),
      userCodeHash: randomHash(),
      clientName: 'laptop',
      address: '192.0.2.1',
      createdAt: time(seconds),
      expiresAt: time(seconds + 600),
      status: 'pending',
      decidedBy: null,
    };
    await acme.storage.devices.create(request);
    return request;
  };
  const approve = (request: DeviceRequest, member: Member, sessionId: string, storage = acme.storage) =>
    storage.devices.change(acme.organizationId, request.userCodeHash, acme.author, time(20), (current) => ({
      next: {
        ...current,
        status: 'approved',
        decidedBy: { organizationId: acme.organizationId, userId: member.id, sessionId },
      },
      events: [],
    }));
  const redeem = (request: DeviceRequest, member: Member, seconds = 30, storage = acme.storage) => {
    const { organizationId } = acme;
    const key = { ...acme.newKey({ kind: 'management', ownerId: member.id }), organizationId };
    return storage.devices.redeem(request.deviceCodeHash, key, acme.author, time(seconds), (placement) =>
      createKey(key, placement),
    );
  };
  const approved = async () => {
    const member = await acme.addMember();
    const session = await acme.signIn(member);
    const request = await create();
    await approve(request, member, session.id);
    return { member, session, request };
  };

  it('a device request is found by either code until it expires', async () => {
    const request = await create();
    const { deviceCodeHash, userCodeHash } = request;
    for (const code of [{ deviceCodeHash }, { userCodeHash }]) {
      expect(await acme.storage.devices.find(code, time(609))).toEqual(request);
      expect(await acme.storage.devices.find(code, time(610))).toBeUndefined();
    }
    expect(await acme.storage.devices.find({ userCodeHash: deviceCodeHash }, time(20))).toBeUndefined();
  });

  it('a device request stores who approved it', async () => {
    const { member, session, request } = await approved();
    const { deviceCodeHash } = request;
    const decidedBy = { organizationId: acme.organizationId, userId: member.id, sessionId: session.id };
    expect(await acme.storage.devices.find({ deviceCodeHash }, time(30))).toEqual({
      ...request,
      status: 'approved',
      decidedBy,
    });
    const unknown = { ...request, userCodeHash: randomHash() };
    expect(await approve(unknown, member, session.id)).toBeUndefined();
  });

  it('a device request creates one key, no matter how many ask for it at the same time', async () => {
    const { member, request } = await approved();
    const other = await acme.open();
    const attempts = Array.from({ length: 8 }, (_, index) =>
      redeem(request, member, 30, index % 2 === 0 ? acme.storage : other),
    );
    expect((await Promise.all(attempts)).filter((isCreated) => isCreated)).toHaveLength(1);
    const { deviceCodeHash } = request;
    expect(await acme.storage.devices.find({ deviceCodeHash }, time(30))).toBeUndefined();
  });

  it("a device request that is pending, denied, expired or someone else's creates no key", async () => {
    const { member, session, request } = await approved();
    const pending = await create();
    const denied = await create();
    await acme.storage.devices.change(
      acme.organizationId,
      denied.userCodeHash,
      acme.author,
      time(20),
      (current) => ({
        next: {
          ...current,
          status: 'denied',
          decidedBy: { organizationId: acme.organizationId, userId: member.id, sessionId: session.id },
        },
        events: [],
      }),
    );
    expect(await redeem(pending, member)).toBe(false);
    expect(await redeem(denied, member)).toBe(false);
    expect(await redeem(request, member, 610)).toBe(false);
    expect(await redeem(request, await acme.addMember())).toBe(false);
    expect(await redeem(request, member)).toBe(true);
  });

  it('a device request creates no key once the session that approved it has ended', async () => {
    const { member, request } = await approved();
    const person = { organizationId: acme.organizationId, userId: member.id };
    await acme.storage.sessions.end(person, acme.author, time(25), {}, () => []);
    expect(await redeem(request, member)).toBe(false);
  });

  it('expired device requests are deleted', async () => {
    const { deviceCodeHash } = await create(100_000);
    await create(200_000);
    const rows = await acme.database.sql(
      `SELECT 1 FROM device_requests WHERE device_code_hash = '${deviceCodeHash}'`,
    );
    expect(rows).toEqual([]);
    expect(await acme.storage.devices.find({ deviceCodeHash: newId() }, time(0))).toBeUndefined();
  });
});
