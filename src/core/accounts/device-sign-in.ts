import type { Clock } from '../clock.ts';
import { PresetdError } from '../errors.ts';
import { FixedWindowCounter } from '../fixed-window-counter.ts';
import { actorFrom } from '../organization/actor.ts';
import { hashSecret, keyWithSecret, newSecret } from '../organization/api-key.ts';
import { type Caller, sessionLabel } from '../organization/caller.ts';
import { createKey } from '../organization/key-change.ts';
import { requireSession } from '../organization/organization-access.ts';
import { assertValidName } from '../request-issues.ts';
import { accountEvent } from './account-event.ts';
import type { DeviceStore } from './account-storage.ts';
import { type DeviceRequest, type DeviceStatus, newUserCode, normalizeUserCode } from './device.ts';
import { assertActive } from './sign-in.ts';
import { newToken } from './token.ts';

/** Long enough to switch to a browser and sign in there. */
const requestMs = 10 * 60_000;

/** How often the command line polls. */
export const pollIntervalSeconds = 2;

const keyMs = 90 * 24 * 3_600_000;

/** Requests per network and minute. Anyone can start one, and each is stored for a while. */
const startsMax = 20;

/** The limit per person and minute: enough for typing errors, far too few to guess a code. */
const unknownCodesMax = 10;

interface StartedDevice {
  readonly deviceCode: string;
  readonly userCode: string;
  readonly expiresAt: string;
}

/** The code as the person typed it, with the request that it belongs to. */
export interface FoundDevice {
  readonly userCode: string;
  readonly request: DeviceRequest;
}

export type DeviceSignIn = ReturnType<typeof createDeviceSignIn>;

/**
 * Signs in command lines by the device flow (RFC 8628). The command line starts a request and shows
 * its user code; a signed-in person types and approves it; the command line, which polls with its
 * secret device code, gets a management key of that person. The key is created by the poll, so that
 * its secret is never stored.
 */
export function createDeviceSignIn(devices: DeviceStore, clock: Clock) {
  const starts = new FixedWindowCounter({ keysMax: 10_000 });
  const unknownCodes = new FixedWindowCounter({ keysMax: 10_000 });

  async function find(caller: Caller, text: string): Promise<FoundDevice> {
    const { ownerId } = requireSession(caller, 'Approving a command line');
    const tried = unknownCodes.get(ownerId);
    if (tried !== undefined && tried.count >= unknownCodesMax)
      throw tooMany(tried.resetsInMs, 'unknown codes');
    const userCode = normalizeUserCode(text);
    const request = await devices.find({ userCodeHash: hashSecret(userCode) }, clock());
    if (request !== undefined) return { userCode, request };
    unknownCodes.increment(ownerId);
    throw unknownCode(userCode);
  }

  return {
    async start(clientName: string, address: string, network: string): Promise<StartedDevice> {
      assertValidName('/client_name', clientName);
      const { count, resetsInMs } = starts.increment(network);
      if (count > startsMax) throw tooMany(resetsInMs, 'command-line sign-ins');
      const { token: deviceCode, tokenHash: deviceCodeHash } = newToken('device');
      const userCode = newUserCode();
      const createdAt = clock();
      const expiresAt = new Date(Date.parse(createdAt) + requestMs).toISOString();
      await devices.create({
        deviceCodeHash,
        userCodeHash: hashSecret(userCode),
        clientName,
        address,
        createdAt,
        expiresAt,
        status: 'pending',
        decidedBy: null,
      });
      return { deviceCode, userCode, expiresAt };
    },
    /** For the person who is asked to approve it. Throws `not_found` for an unknown code. */
    find,
    /** Throws `conflict` if the request was already approved or denied. */
    async decide(caller: Caller, text: string, isApproved: boolean): Promise<FoundDevice> {
      const action = 'Approving a command line';
      const { organizationId, ownerId: userId, id: sessionId } = requireSession(caller, action);
      const { userCode, request } = await find(caller, text);
      const changed = await devices.change(
        organizationId,
        request.userCodeHash,
        actorFrom(caller, clock, (current) => void requireSession(current, action)),
        clock(),
        (current, person) => {
          if (current.status !== 'pending')
            throw new PresetdError('conflict', `This command line was already ${current.status}.`);
          const status = isApproved ? 'approved' : 'denied';
          const { clientName: client, address } = current;
          // A key is created for an approved request, with its own event.
          const events =
            isApproved || person === undefined
              ? []
              : [accountEvent('account.command_line_denied', person, { client, address })];
          return { next: { ...current, status, decidedBy: { organizationId, userId, sessionId } }, events };
        },
      );
      if (changed === undefined) throw unknownCode(userCode);
      return { userCode, request: changed };
    },
    /**
     * Returns the status, with the secret of a new key if it is approved; a second call finds
     * nothing. Throws `unauthenticated` for an unknown or expired code.
     */
    async poll(
      deviceCode: string,
    ): Promise<{ readonly status: DeviceStatus; readonly secret: string | null }> {
      const deviceCodeHash = hashSecret(deviceCode);
      const now = clock();
      const request = await devices.find({ deviceCodeHash }, now);
      if (request === undefined) throw unknownDevice();
      const { status, decidedBy, clientName } = request;
      if (status !== 'approved' || decidedBy === null) return { status, secret: null };
      const secret = newSecret();
      const key = {
        ...keyWithSecret(secret, {
          name: `presetd login on ${clientName}`,
          kind: 'management',
          ownerId: decidedBy.userId,
          organizationId: decidedBy.organizationId,
          expiresAt: new Date(Date.parse(now) + keyMs).toISOString(),
          createdAt: now,
        }),
        organizationId: decidedBy.organizationId,
      };
      const author = { userId: decidedBy.userId, keyLabel: sessionLabel(decidedBy.sessionId) };
      const isCreated = await devices.redeem(deviceCodeHash, key, author, now, (placement) => {
        if (placement.owner !== undefined) assertActive(placement.owner);
        return createKey(key, placement);
      });
      if (!isCreated) throw unknownDevice();
      return { status, secret };
    },
  };
}

function unknownCode(userCode: string): PresetdError {
  return new PresetdError(
    'not_found',
    `No pending sign-in has the code ${userCode}. Check the code, or run presetd login again.`,
  );
}

function unknownDevice(): PresetdError {
  return new PresetdError('unauthenticated', 'This sign-in has expired. Run presetd login again.');
}

function tooMany(resetsInMs: number, noun: string): PresetdError {
  return new PresetdError('rate_limited', `Too many ${noun}. Try again in a minute.`, {
    retryAfterSeconds: Math.ceil(resetsInMs / 1_000),
  });
}
