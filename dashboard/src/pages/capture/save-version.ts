import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { useLocation } from 'wouter';
import { JsonText } from '../../../../src/api/client.ts';
import type { Dialect } from '../../../../src/core/presets/preset.ts';
import { recognizeDialect } from '../../../../src/dialects/recognize-dialect.ts';
import { dialectPaths } from '../../api/dialects.ts';
import { carryCases, invalidatePresets } from '../../api/presets.ts';
import { useSession } from '../../api/session.ts';
import { useToast } from '../../components/toasts.tsx';
import { presetPath } from '../preset/preset-links.ts';
import { importRequest } from '../workbench/import-request.ts';
import { emptyRunState, runName, storeRunState } from '../workbench/run/run-state.ts';
import { checkRequestText, slugProblem } from './check-request.ts';
import type { Draft } from './drafts.ts';
import { noteLength, saveOptionsOf, withSaveOptions } from './save-options.ts';
import type { Report } from './use-capture.ts';

/** The reason why saving is blocked, and so where to move the focus. */
type Blocker = { readonly in: 'text'; readonly offset: number } | { readonly in: 'fields' };

/** A saved version, and the live version after saving it. */
export interface SavedVersion {
  /** Null for previews only, which the dashboard does not save. */
  readonly presetId: string | null;
  readonly version: number;
  readonly live: number;
  /** ETag of the preset after the save. */
  readonly etag: string;
}

/**
 * Validates and saves the form for a new preset, then opens its workbench. The conversation of the
 * request waits there to be run.
 */
export function useCreatePreset(discardDraft: () => void) {
  const showToast = useToast();
  const { account } = useSession();
  // Also runs after unmounting: the draft must go, and the user should know that it was saved.
  const saving = useSaveVersion(() => {
    discardDraft();
    showToast('Preset created. Version 1 is live');
  });
  const [, navigate] = useLocation();
  return {
    error: saving.error,
    isPending: saving.isPending,
    reset: saving.reset,
    /** Returns what prevents saving; undefined if the request was sent. */
    save(draft: Draft, report: Report): Blocker | undefined {
      const { slug, text } = draft;
      const result = validate(draft, report);
      if ('in' in result) return result;
      saving.mutate(
        { slug, ...result, etag: undefined },
        {
          // Not called after unmounting, so users who went elsewhere stay there.
          onSuccess: ({ presetId }) => {
            const messages = importRequest(text)?.messages ?? [];
            if (presetId !== null && messages.length > 0)
              storeRunState(runName(account.id, presetId), { ...emptyRunState(true), messages });
            navigate(presetPath(slug));
          },
        },
      );
    },
  };
}

/** Validates the current text, which may be newer than the last report. */
function validate(draft: Draft, report: Report): Blocker | Pick<VersionToSave, 'dialect' | 'text'> {
  const checked = checkRequestText(draft.text);
  if (checked.kind === 'empty') return { in: 'text', offset: 0 };
  if (checked.kind === 'invalid') return { in: 'text', offset: checked.problem.from };
  const dialect = draft.dialect ?? recognizeDialect(checked.body);
  if (dialect === undefined || slugProblem(draft.slug) !== undefined) return { in: 'fields' };
  const [problem] = report.text === draft.text ? report.problems : [];
  if (problem !== undefined) return { in: 'text', offset: problem.from };
  const { note = '', text } = draft;
  if (noteLength(note).error !== undefined && saveOptionsOf(checked.body).note === undefined)
    return { in: 'fields' };
  return { dialect, text: withSaveOptions(text, checked.body, { note }) };
}

export interface VersionToSave {
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
      const [, number] = /@(\d+)$/.exec(headers.get('x-presetd-preset') ?? '') ?? [];
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
