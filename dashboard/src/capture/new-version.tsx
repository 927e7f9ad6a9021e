import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { Redirect, useSearchParams } from 'wouter';
import type { One } from '../../../src/client/answers.ts';
import type { PresetVersionDetails } from '../../../src/client/preset-answers.ts';
import { recognizeDialect } from '../../../src/dialects/recognize-dialect.ts';
import { pathOf } from '../api/api.ts';
import { useReadPreset } from '../api/presets.ts';
import { Button, ButtonLink } from '../parts/button.tsx';
import { ErrorNotice } from '../parts/error-notice.tsx';
import { Loading } from '../parts/loading.tsx';
import { Notice } from '../parts/notice.tsx';
import { Page } from '../parts/page.tsx';
import { newVersionPath, parseVersion, versionPath } from '../preset/version-address.ts';
import { useSession } from '../session/session.tsx';
import { CaptureForm } from './capture-form.tsx';
import { type Draft, draftName, dropDraft, keptDraft, startOfDraft } from './drafts.ts';
import { requestOfVersion } from './request-of-version.ts';

/** Starts from the version that the address names, as a request that can be changed. */
export function NewVersion({ slug }: { readonly slug: string }) {
  const [search] = useSearchParams();
  const asked = search.get('from');
  if (asked === null) return <FromLiveVersion slug={slug} />;
  const from = parseVersion(asked);
  // Another version is another page: nothing of one form gets into the next.
  if (from !== undefined) return <FromVersion key={from} slug={slug} from={from} />;
  return (
    <Page title={`New version of ${slug}`}>
      <Notice
        kind="danger"
        title={`There is no version “${asked}”.`}
        actions={<ButtonLink href={pathOf('presets', slug, 'new')}>Start from the live version</ButtonLink>}
      >
        A version is a whole number from 1.
      </Notice>
    </Page>
  );
}

/** The address gets the number, so that it means the same after a reload or to somebody else. */
function FromLiveVersion({ slug }: { readonly slug: string }) {
  const { workspaceId } = useSession();
  const readPreset = useReadPreset();
  const { data, error, refetch } = useQuery({
    queryKey: ['live version', workspaceId, slug],
    gcTime: 0,
    queryFn: async ({ signal }) => (await readPreset(slug, signal)).preset.designated_version.version,
  });
  if (data !== undefined) return <Redirect to={newVersionPath(slug, data)} replace />;
  return <NotYet slug={slug} error={error} retry={() => void refetch()} />;
}

interface FromVersionProps {
  readonly slug: string;
  readonly from: number;
}

function FromVersion({ slug, from }: FromVersionProps) {
  const { data, error, refetch } = useOpenedPreset(slug, from);
  const name = draftName(useSession(), slug);
  if (data !== undefined) return <FormOrOtherDraft key={name} name={name} pristine={data} />;
  return <NotYet slug={slug} error={error} retry={() => void refetch()} from={from} />;
}

interface NotYetProps {
  readonly slug: string;
  readonly error: unknown;
  readonly retry: () => void;
  readonly from?: number;
}

function NotYet({ slug, error, retry, from }: NotYetProps) {
  const what = from === undefined ? 'The preset' : `Version ${from}`;
  return (
    <Page title={`New version of ${slug}`}>
      {error == null ? (
        <Loading lines={8} label={`Loading ${what.toLowerCase()}`} />
      ) : (
        <div className="stack">
          <ErrorNotice error={error} title={`${what} could not be read.`} retry={retry} />
          {from !== undefined && (
            <div>
              <ButtonLink href={pathOf('presets', slug, 'new')}>Start from the live version</ButtonLink>
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

/** A preset has one draft. A draft from another version must not be lost without a question. */
function FormOrOtherDraft({ name, pristine }: FormProps) {
  const [other, setOther] = useState(() => {
    const draft = keptDraft(name);
    const start = draft && startOfDraft(draft);
    return start === pristine.from ? undefined : start;
  });
  if (other === undefined) return <CaptureForm draftName={name} pristine={pristine} />;
  const { slug, from } = pristine;
  const discard = () => {
    dropDraft(name);
    setOther(undefined);
  };
  return (
    <Page
      title={`New version of ${slug}`}
      actions={<ButtonLink href={versionPath(slug, from)}>Cancel</ButtonLink>}
    >
      <Notice
        kind="warning"
        title={`You have an unsaved draft that starts from version ${other}.`}
        actions={
          <>
            <ButtonLink variant="primary" href={newVersionPath(slug, other)}>
              Continue the draft
            </ButtonLink>
            <Button onClick={discard}>Discard it and start from version {from}</Button>
          </>
        }
      >
        A preset has one draft at a time, so starting from version {from} discards it.
      </Notice>
    </Page>
  );
}

/** The state in which the page was opened: whatever becomes of the preset meanwhile, this is what was seen. */
function useOpenedPreset(slug: string, from: number) {
  const { api, workspaceId } = useSession();
  const readPreset = useReadPreset();
  const { data, ...query } = useQuery({
    queryKey: ['opened preset', workspaceId, slug, from],
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    queryFn: async ({ signal }) => {
      const path = pathOf('presets', slug, 'versions', from);
      const query = { workspace_id: workspaceId };
      const [before, answer] = await Promise.all([
        readPreset(slug, signal),
        api.send<One<PresetVersionDetails>>({ path, query, signal }),
      ]);
      return { before, version: answer.content.data };
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

/** Few fields may not tell how they are written, so it is said where they do not. */
function startOf(version: PresetVersionDetails): Pick<Draft, 'text' | 'dialect'> {
  const text = requestOfVersion(version);
  const isRecognized = recognizeDialect(JSON.parse(text)) === version.dialect;
  return { text, dialect: isRecognized ? undefined : version.dialect };
}
