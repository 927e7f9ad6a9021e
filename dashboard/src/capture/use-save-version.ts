import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import type { One } from '../../../src/client/answers.ts';
import type { Preset } from '../../../src/client/preset-answers.ts';
import type { Dialect } from '../../../src/core/presets/preset.ts';
import { pathOf } from '../api/api.ts';
import { dialectPaths } from '../api/dialects.ts';
import { invalidatePreset } from '../api/presets.ts';
import { useSession } from '../session/session.tsx';

export interface VersionToSave {
  readonly slug: string;
  readonly dialect: Dialect;
  /** Sent exactly as typed. */
  readonly text: string;
  /**
   * The preset state that the form started from. Undefined for a new preset, which must not exist
   * yet.
   */
  readonly etag: string | undefined;
}

/** Saves a version. `onSaved` is also called if the user has left the page meanwhile. */
export function useSaveVersion(onSaved: (preset: Preset) => void) {
  const { api, workspaceId } = useSession();
  const queryClient = useQueryClient();
  const keyFor = useIdempotencyKey();
  return useMutation({
    mutationFn: async (version: VersionToSave) => {
      const { slug, dialect, text, etag } = version;
      const { content } = await api.send<One<Preset>>({
        method: 'POST',
        path: pathOf('presets', slug, ...dialectPaths[dialect]),
        query: { workspace_id: workspaceId },
        body: text,
        headers: {
          'idempotency-key': keyFor(version),
          ...(etag === undefined ? { 'if-none-match': '*' } : { 'if-match': etag }),
        },
      });
      return content.data;
    },
    onSuccess: onSaved,
    onSettled: (_saved, _error, { slug }) => void invalidatePreset(queryClient, workspaceId, slug),
  });
}

/**
 * Reuses the idempotency key while the request stays the same, so that retrying after a lost
 * response does not create a second version.
 */
function useIdempotencyKey(): (version: VersionToSave) => string {
  const last = useRef<{ readonly version: VersionToSave; readonly key: string }>(undefined);
  return (version) => {
    if (last.current === undefined || !isSameRequest(last.current.version, version))
      last.current = { version, key: randomKey() };
    return last.current.key;
  };
}

/** Ignores the ETag: the same text retried against a newer state is still the same version. */
function isSameRequest(one: VersionToSave, other: VersionToSave): boolean {
  return one.slug === other.slug && one.dialect === other.dialect && one.text === other.text;
}

/** `crypto.randomUUID` does not exist on pages served without TLS. */
function randomKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('');
}
