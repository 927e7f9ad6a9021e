import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useSearchParams } from 'wouter';
import { isStatus } from '../../api/api-error.ts';
import { fetchVersion } from '../../api/presets.ts';
import { useSession } from '../../api/session.ts';
import { Button, ButtonLink } from '../../components/button.tsx';
import { WorkbenchSkeleton } from '../../components/loading.tsx';
import { ErrorNotice, Notice } from '../../components/notice.tsx';
import { baseVersionOf, deleteDraft, draftName, loadDraft } from '../capture/drafts.ts';
import { usePresetActions } from '../preset/preset-actions.tsx';
import { editPath, parseVersion } from '../preset/preset-links.ts';
import { OpenWorkbench } from './open-workbench.tsx';
import { readSynced, type ServerDraft, syncedName, useStoredDraft } from './server-draft.ts';

/**
 * Write, try and save the next version of a preset. The URL may name the version to start from; by
 * default it is the live one.
 */
export function WorkbenchTab() {
  const { slug, canChange } = usePresetActions();
  const name = draftName(useSession(), slug);
  const opening = useOpening();
  const stored = useStoredDraft(slug, canChange, opening.count);
  // A server that does not answer must not keep people from the text that this tab has.
  if (canChange && stored.data === undefined && !stored.error)
    return <WorkbenchSkeleton label="Loading draft" />;
  return (
    <LoadedDraft key={`${name} ${opening.count}`} name={name} stored={stored.data} from={opening.from} />
  );
}

/**
 * The version that the URL names. Naming one opens the workbench anew; `useStartInUrl` removes it once
 * the workbench shows another, and that does not.
 */
function useOpening() {
  const [search] = useSearchParams();
  const from = search.get('from') ?? undefined;
  const [opening, setOpening] = useState({ from, last: from, count: 0 });
  if (from === opening.last) return opening;
  const next =
    from === undefined ? { ...opening, last: from } : { from, last: from, count: opening.count + 1 };
  setOpening(next);
  return next;
}

interface LoadedDraftProps {
  readonly name: string;
  readonly stored: ServerDraft | undefined;
  /** The version to start from, as it is in the URL. */
  readonly from: string | undefined;
}

/** Chooses the newest text, and loads the version that it started from. */
function LoadedDraft({ name, stored, from }: LoadedDraftProps) {
  const { slug, snapshot } = usePresetActions();
  const { api, workspaceId, account } = useSession();
  const synced = syncedName(account.id, snapshot.preset.id);
  const live = snapshot.preset.designated_version.version;
  // Read once: the workbench goes on with this version until it saves another.
  const [newest] = useState(() => newestDraft(name, slug, stored, readSynced(synced)));
  const [isDiscarded, setIsDiscarded] = useState(false);
  const wanted = from === undefined ? undefined : parseVersion(from);
  const draft = isDiscarded ? undefined : newest.draft;
  const [base, setBase] = useState(draft?.from ?? wanted ?? live);
  const { data, error, refetch } = useQuery({
    queryKey: ['workbench', workspaceId, slug, base],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: ({ signal }) => fetchVersion(api, workspaceId, { slug, version: base }, signal),
  });
  if (from !== undefined && wanted === undefined) return <UnknownStart from={from} />;
  if (draft !== undefined && wanted !== undefined && wanted !== base)
    return (
      <OtherDraft
        base={base}
        wanted={wanted}
        onDiscard={() => {
          deleteDraft(name);
          setIsDiscarded(true);
          setBase(wanted);
        }}
      />
    );
  if (data !== undefined)
    return (
      <OpenWorkbench
        name={name}
        synced={synced}
        start={data}
        draft={draft}
        etag={newest.etag}
        from={wanted}
      />
    );
  if (isStatus(error, 404) && wanted !== undefined) return <UnknownStart from={String(wanted)} />;
  return error ? (
    <ErrorNotice error={error} title={`Could not load version ${base}`} retry={() => void refetch()} />
  ) : (
    <WorkbenchSkeleton />
  );
}

function UnknownStart({ from }: { readonly from: string }) {
  const { slug, snapshot } = usePresetActions();
  const live = snapshot.preset.designated_version.version;
  return (
    <Notice
      kind="danger"
      title={`This preset has no version “${from}”`}
      actions={<ButtonLink href={editPath(slug, live)}>Start from the live version</ButtonLink>}
    />
  );
}

interface OtherDraftProps {
  readonly base: number;
  readonly wanted: number;
  readonly onDiscard: () => void;
}

/** A person has one draft of a preset. If it started from another version, ask before it goes. */
function OtherDraft({ base, wanted, onDiscard }: OtherDraftProps) {
  const { slug } = usePresetActions();
  return (
    <Notice
      kind="warning"
      title={`You have a draft based on version ${base}`}
      actions={
        <>
          <ButtonLink isSmall variant="primary" href={editPath(slug, base)}>
            Continue the draft
          </ButtonLink>
          <Button isSmall onClick={onDiscard}>
            Discard it and start from version {wanted}
          </Button>
        </>
      }
    >
      You can have one draft of a preset. Starting from version {wanted} discards yours.
    </Notice>
  );
}

/** The draft of this tab if it has something that the server has not received, or the server's. */
function newestDraft(
  name: string,
  slug: string,
  stored: ServerDraft | undefined,
  synced: ReturnType<typeof readSynced>,
) {
  const local = loadDraft(name);
  if (local !== undefined && (local.text !== synced?.text || stored === undefined))
    return { draft: { ...local, from: baseVersionOf(local) }, etag: synced?.etag };
  const { draft, etag } = stored ?? {};
  if (draft === undefined) return { draft: undefined, etag: undefined };
  return {
    draft: { text: draft.text, slug, from: draft.base_version, dialect: draft.dialect ?? undefined },
    etag,
  };
}
