import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import type { One } from '../../../src/client/answers.ts';
import type { Preset } from '../../../src/client/preset-answers.ts';
import type { Dialect } from '../../../src/core/preset.ts';
import { pathOf } from '../api/api.ts';
import { dialectPaths } from '../api/dialects.ts';
import { forgetPreset } from '../api/presets.ts';
import { useSession } from '../session/session.tsx';

export interface VersionToSave {
  readonly slug: string;
  readonly dialect: Dialect;
  /** Sent as it was typed. */
  readonly text: string;
  /** The state of the preset that was seen; without it the preset must be a new one. */
  readonly etag: string | undefined;
}

/** Whoever leaves the page meanwhile is told all the same by `onSaved`. */
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
    onSettled: (_saved, _error, { slug }) => void forgetPreset(queryClient, workspaceId, slug),
  });
}

/** The same key for as long as the same is sent: when an answer got lost, sending it again makes no second version. */
function useIdempotencyKey(): (version: VersionToSave) => string {
  const last = useRef<{ readonly version: VersionToSave; readonly key: string }>(undefined);
  return (version) => {
    if (last.current === undefined || !isSameRequest(last.current.version, version))
      last.current = { version, key: randomKey() };
    return last.current.key;
  };
}

function isSameRequest(one: VersionToSave, other: VersionToSave): boolean {
  return one.slug === other.slug && one.dialect === other.dialect && one.text === other.text;
}

/** Not `randomUUID`, which a page that came without TLS does not have. */
function randomKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('');
}
