import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { JsonText } from '../../../../src/api/client.ts';
import { headerNames } from '../../../../src/core/header-names.ts';
import type { Dialect } from '../../../../src/core/presets/preset.ts';
import { dialectPaths } from '../../api/dialects.ts';
import { carryCases, invalidatePresets } from '../../api/presets.ts';
import { useSession } from '../../api/session.ts';

/** A saved version, and the live version after saving it. */
export interface SavedVersion {
  /** Null for previews only, which the dashboard does not save. */
  readonly presetId: string | null;
  readonly version: number;
  readonly live: number;
  /** ETag of the preset after the save. */
  readonly etag: string;
}

interface VersionToSave {
  readonly slug: string;
  readonly dialect: Dialect;
  /** As typed, with the options of the form. */
  readonly text: string;
  /**
   * The preset state that the user has seen. Undefined for a new preset, which must not exist
   * yet.
   */
  readonly etag: string | undefined;
}

/** Saves a version. `onSaved` also runs if the user has left the page. */
export function useSaveVersion(onSaved: (saved: SavedVersion) => void | Promise<void>) {
  const { api, workspaceId } = useSession();
  const queryClient = useQueryClient();
  const keyFor = useIdempotencyKey();
  return useMutation({
    mutationFn: async (version: VersionToSave) => {
      const { slug, dialect, text, etag } = version;
      const { content, headers } = await api.call(`POST /presets/:slug${dialectPaths[dialect]}`, {
        params: { slug },
        query: { workspace_id: workspaceId },
        body: new JsonText(text),
        headers: {
          'idempotency-key': keyFor(version),
          ...(etag === undefined ? { 'if-none-match': '*' } : { 'if-match': etag }),
        },
      });
      carryCases(queryClient, { workspaceId, slug }, etag, headers.get('etag'));
      const { id: presetId, designated_version } = content.data;
      const live = designated_version.version;
      // The response shows the live version; the header names the new one.
      const [, number] = /@(\d+)$/.exec(headers.get(headerNames.preset) ?? '') ?? [];
      const saved = number === undefined ? live : Number(number);
      return { presetId, version: saved, live, etag: headers.get('etag') ?? '' };
    },
    onSuccess: onSaved,
    onSettled: () => void invalidatePresets(queryClient, workspaceId),
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
