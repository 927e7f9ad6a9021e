import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import type { PresetVersionDetails } from '../../../../src/api/versions.ts';
import { fetchVersion, type PresetSnapshot } from '../../api/presets.ts';
import { useSession } from '../../api/session.ts';
import { Loading } from '../../components/loading.tsx';
import { ErrorNotice } from '../../components/notice.tsx';
import { useToast } from '../../components/toasts.tsx';
import { baseVersionOf, deleteDraft, draftName, loadDraft, useDraftAutosave } from '../capture/drafts.ts';
import { versionToRequest } from '../capture/version-to-request.ts';
import { usePresetActions, useShownVersion } from '../preset/preset-actions.tsx';
import { PromptPane } from './prompt/prompt-pane.tsx';
import { RunPane, useRunShortcut } from './run/run-pane.tsx';
import { SaveBar } from './save-bar.tsx';
import { SettingsPane } from './settings/settings-pane.tsx';
import { useNewWorkbench, WorkbenchProvider } from './workbench.ts';
import { WorkbenchLayout } from './workbench-layout.tsx';

/** Write, try and save the next version of a preset. */
export function WorkbenchTab() {
  const { slug, snapshot } = usePresetActions();
  const session = useSession();
  const { api, workspaceId } = session;
  const name = draftName(session, slug);
  // Read once: the workbench goes on with this version until it saves another.
  const [base] = useState(() => {
    const draft = loadDraft(name);
    return (draft && baseVersionOf(draft)) ?? snapshot.preset.designated_version.version;
  });
  const { data, error, refetch } = useQuery({
    queryKey: ['workbench', workspaceId, slug, base],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: ({ signal }) => fetchVersion(api, workspaceId, { slug, version: base }, signal),
  });
  if (data !== undefined) return <OpenWorkbench name={name} start={data} />;
  return error ? (
    <ErrorNotice error={error} title={`Could not load version ${base}`} retry={() => void refetch()} />
  ) : (
    <Loading lines={12} label="Loading workbench" />
  );
}

interface OpenWorkbenchProps {
  /** Of the stored draft. */
  readonly name: string;
  /** The version that the draft starts from. */
  readonly start: PresetVersionDetails;
}

function OpenWorkbench({ name, start }: OpenWorkbenchProps) {
  const { slug, snapshot, canChange } = usePresetActions();
  const { api, workspaceId } = useSession();
  const showToast = useToast();
  const [version, setVersion] = useState(start);
  useShownVersion(version.version);
  useRunShortcut();
  const pristine = useMemo(() => versionToRequest(version), [version]);
  const [draft] = useState(() => ({
    text: pristine,
    slug,
    before: snapshot,
    ...loadDraft(name),
    from: version.version,
  }));
  const workbench = useNewWorkbench({
    slug,
    snapshot,
    start: draft,
    base: version.version,
    pristine,
    baseDialect: version.dialect,
    canEdit: canChange,
  });
  const { capture, text, isChanged, replaceText } = workbench;
  useDraftAutosave(name, { ...capture.draft, from: version.version }, isChanged);

  async function goOnFrom(number: number, before: PresetSnapshot) {
    const saved = await fetchVersion(
      api,
      workspaceId,
      { slug, version: number },
      new AbortController().signal,
    );
    deleteDraft(name);
    setVersion(saved);
    capture.change({ text: versionToRequest(saved), before, note: undefined, goesLive: undefined });
  }
  function discard() {
    replaceText(pristine);
    capture.change({ before: snapshot });
    showToast('Draft discarded', () => replaceText(text));
  }
  return (
    <WorkbenchProvider value={workbench}>
      <SaveBar name={name} onSaved={goOnFrom} onDiscard={discard} onRestore={replaceText} />
      <WorkbenchLayout
        parts={[
          { id: 'prompt', title: 'Prompt', content: <PromptPane /> },
          { id: 'settings', title: 'Settings', content: <SettingsPane /> },
          { id: 'run', title: 'Run', content: <RunPane /> },
        ]}
      />
    </WorkbenchProvider>
  );
}
