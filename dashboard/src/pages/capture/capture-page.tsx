import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { Redirect, useSearchParams } from 'wouter';
import type { PresetVersionDetails } from '../../../../src/api/versions.ts';
import { recognizeDialect } from '../../../../src/dialects/recognize-dialect.ts';
import { fetchVersion, useFetchPreset } from '../../api/presets.ts';
import { useSession } from '../../api/session.ts';
import { Button, ButtonLink } from '../../components/button.tsx';
import { Loading } from '../../components/loading.tsx';
import { ErrorNotice, Notice } from '../../components/notice.tsx';
import { Page } from '../../components/page.tsx';
import { newVersionPath, parseVersion, presetPath, versionPath } from '../preset/preset-links.ts';
import { CaptureForm } from './capture-form.tsx';
import { baseVersionOf, type Draft, deleteDraft, draftName, loadDraft } from './drafts.ts';
import { versionToRequest } from './version-to-request.ts';

/**
 * Creates a preset, or with `slug` a new version of one. Users who may only read see an explanation
 * instead.
 */
export function CapturePage({ slug }: { readonly slug: string | undefined }) {
  const { may, account } = useSession();
  if (!may('write'))
    return (
      <Page title={slug === undefined ? 'New preset' : `New version of ${slug}`}>
        <Notice
          kind="warning"
          title={
            account.credential.scope === 'write'
              ? 'You are a viewer of this workspace'
              : 'This key is read-only'
          }
          actions={<ButtonLink href="/presets">Go to presets</ButtonLink>}
        >
          {account.credential.scope === 'write'
            ? 'To save versions, ask an admin of the workspace to make you an editor.'
            : 'To capture a request, sign in with a key that can write.'}
        </Notice>
      </Page>
    );
  return slug === undefined ? <NewPreset /> : <NewVersion slug={slug} />;
}

const empty = { text: '', slug: '' };

/** The key remounts the form when another workspace, and so another draft, is selected. */
function NewPreset() {
  const name = draftName(useSession(), undefined);
  return <CaptureForm key={name} draftName={name} pristine={empty} />;
}

/** Opens the form with the version that the URL names, converted back into a request. */
function NewVersion({ slug }: { readonly slug: string }) {
  const [search] = useSearchParams();
  const fromText = search.get('from');
  if (fromText === null) return <FromLiveVersion slug={slug} />;
  const from = parseVersion(fromText);
  // The key remounts the form, so that nothing of one version's form leaks into the next.
  if (from !== undefined) return <FromVersion key={from} slug={slug} from={from} />;
  return (
    <Page title={`New version of ${slug}`}>
      <Notice
        kind="danger"
        title={`Version “${fromText}” does not exist`}
        actions={<ButtonLink href={presetPath(slug, 'new')}>Start from the live version</ButtonLink>}
      >
        Versions are numbered from 1.
      </Notice>
    </Page>
  );
}

/** Puts the live version into the URL, so that it means the same after a reload or when shared. */
function FromLiveVersion({ slug }: { readonly slug: string }) {
  const { workspaceId } = useSession();
  const fetchPreset = useFetchPreset();
  const { data, error, refetch } = useQuery({
    queryKey: ['live version', workspaceId, slug],
    gcTime: 0,
    queryFn: async ({ signal }) => (await fetchPreset(slug, signal)).preset.designated_version.version,
  });
  if (data !== undefined) return <Redirect to={newVersionPath(slug, data)} replace />;
  return <PendingPage slug={slug} error={error} retry={() => void refetch()} />;
}

interface FromVersionProps {
  readonly slug: string;
  readonly from: number;
}

/** The key on the form remounts it when the workspace, and so the draft, changes. */
function FromVersion({ slug, from }: FromVersionProps) {
  const { data, error, refetch } = useOpenedPreset(slug, from);
  const name = draftName(useSession(), slug);
  if (data !== undefined) return <FormOrDraftConflict key={name} name={name} pristine={data} />;
  return <PendingPage slug={slug} error={error} retry={() => void refetch()} from={from} />;
}

interface PendingPageProps {
  readonly slug: string;
  readonly error: unknown;
  readonly retry: () => void;
  readonly from?: number;
}

/** Shown until the form has its data: a skeleton, or the error and a way to the live version. */
function PendingPage({ slug, error, retry, from }: PendingPageProps) {
  const what = from === undefined ? 'the preset' : `version ${from}`;
  return (
    <Page title={`New version of ${slug}`}>
      {error == null ? (
        <Loading lines={8} label={`Loading ${what}`} />
      ) : (
        <div className="stack">
          <ErrorNotice error={error} title={`Could not load ${what}`} retry={retry} />
          {from !== undefined && (
            <div>
              <ButtonLink href={presetPath(slug, 'new')}>Start from the live version</ButtonLink>
            </div>
          )}
        </div>
      )}
    </Page>
  );
}

interface FormProps {
  readonly name: string;
  readonly pristine: Draft & { readonly from: number };
}

/** A preset has one draft. If it started from another version, ask before discarding it. */
function FormOrDraftConflict({ name, pristine }: FormProps) {
  const [draftBase, setDraftBase] = useState(() => {
    const draft = loadDraft(name);
    const base = draft && baseVersionOf(draft);
    return base === pristine.from ? undefined : base;
  });
  if (draftBase === undefined) return <CaptureForm draftName={name} pristine={pristine} />;
  const { slug, from } = pristine;
  const discard = () => {
    deleteDraft(name);
    setDraftBase(undefined);
  };
  return (
    <Page
      title={`New version of ${slug}`}
      actions={<ButtonLink href={versionPath(slug, from)}>Cancel</ButtonLink>}
    >
      <Notice
        kind="warning"
        title={`You have an unsaved draft based on version ${draftBase}`}
        actions={
          <>
            <ButtonLink variant="primary" href={newVersionPath(slug, draftBase)}>
              Continue draft
            </ButtonLink>
            <Button onClick={discard}>Discard and start from version {from}</Button>
          </>
        }
      >
        A preset can have one draft. Starting from version {from} discards it.
      </Notice>
    </Page>
  );
}

/**
 * Fetched once when the page opens and never refetched: saving compares against exactly this state.
 */
function useOpenedPreset(slug: string, from: number) {
  const { api, workspaceId } = useSession();
  const fetchPreset = useFetchPreset();
  const { data, ...query } = useQuery({
    queryKey: ['opened preset', workspaceId, slug, from],
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    queryFn: async ({ signal }) => {
      const [before, version] = await Promise.all([
        fetchPreset(slug, signal),
        fetchVersion(api, workspaceId, { slug, version: from }, signal),
      ]);
      return { before, version };
    },
  });
  return {
    ...query,
    data: useMemo(
      () => data && { ...startOf(data.version), slug, from, before: data.before },
      [data, slug, from],
    ),
  };
}

/** A request with few fields may not be recognized, so name the dialect unless it is. */
function startOf(version: PresetVersionDetails): Pick<Draft, 'text' | 'dialect'> {
  const text = versionToRequest(version);
  const isRecognized = recognizeDialect(JSON.parse(text)) === version.dialect;
  return { text, dialect: isRecognized ? undefined : version.dialect };
}
