import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useSearchParams } from 'wouter';
import { isStatus } from '../../api/api-error.ts';
import { fetchVersion } from '../../api/presets.ts';
import { useSession } from '../../api/session.ts';
import { Button, ButtonLink } from '../../components/button.tsx';
import { WorkbenchSkeleton } from '../../components/loading.tsx';
import { ErrorNotice, Notice } from '../../components/notice.tsx';
import { editPath, parseVersion } from '../../components/preset-links.ts';
import { type Draft, deleteDraft, draftName } from '../../features/drafts/drafts.ts';
import { draftSender, localDraft, useNewestDraft } from '../../features/drafts/server-draft.ts';
import { discardedDrafts } from '../../features/preset-changes/undo-offers.ts';
import { usePresetActions } from '../../features/preset-changes/use-preset-actions.ts';
import { OpenWorkbench } from './open-workbench.tsx';
import { PresetBar } from './save/preset-bar.tsx';

/**
 * Write, try and save the next version of a preset. The URL may name the version to start from; by
 * default it is the live one.
 */
export function WorkbenchTab() {
  const { slug, snapshot } = usePresetActions();
  const session = useSession();
  const opening = useOpening();
  const { id } = snapshot.preset;
  const { data, isLoading } = useNewestDraft({ id, slug }, opening.count);
  if (isLoading) return <WorkbenchSkeleton label="Loading draft" />;
  // A server that does not answer must not keep people from the text that this tab has.
  const draft = data === undefined ? localDraft(session, { id, slug }) : data.draft;
  const key = [session.account.id, id, slug, opening.count].join('/');
  return <LoadedDraft key={key} draft={draft} from={opening.from} />;
}

/**
 * The version that the URL names. Naming one opens the workbench anew; `useStartInUrl` removes it
 * once the workbench shows another, and that does not.
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
  /** Later values are ignored. */
  readonly draft: Draft | undefined;
  /** The version to start from, as it is in the URL. */
  readonly from: string | undefined;
}

/** Loads the version that a draft started from. */
function LoadedDraft({ draft: newest, from }: LoadedDraftProps) {
  const { slug, snapshot, canChange } = usePresetActions();
  const session = useSession();
  const { api, workspaceId } = session;
  const presetId = snapshot.preset.id;
  const name = draftName(session, presetId);
  const sender = draftSender(session, { id: presetId, slug });
  const home = useMemo(() => ({ name, slug, presetId, sender }), [name, slug, presetId, sender]);
  const live = snapshot.preset.designated_version.version;
  // The workbench continues with this draft until it saves a version.
  const [draft, setDraft] = useState(newest);
  const wanted = from === undefined ? undefined : parseVersion(from);
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
          discardedDrafts.offer(session, presetId, { ...draft, from: base });
          deleteDraft(name);
          setDraft(undefined);
          setBase(wanted);
        }}
      />
    );
  if (data !== undefined)
    return (
      <OpenWorkbench
        home={home}
        preset={snapshot}
        canEdit={canChange}
        start={data}
        draft={draft}
        renderBar={(bar) => <PresetBar {...bar} sender={sender} from={wanted} />}
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
