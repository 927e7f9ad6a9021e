import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import type { PresetVersionDetails } from '../../../../src/api/versions.ts';
import { fetchVersion } from '../../api/presets.ts';
import { useSession } from '../../api/session.ts';
import { Loading } from '../../components/loading.tsx';
import { ErrorNotice } from '../../components/notice.tsx';
import { baseVersionOf, draftName, loadDraft, useDraftAutosave } from '../capture/drafts.ts';
import { versionToRequest } from '../capture/version-to-request.ts';
import { usePresetActions, useShownVersion } from '../preset/preset-actions.tsx';
import { PromptPane } from './prompt/prompt-pane.tsx';
import { RunPane } from './run/run-pane.tsx';
import { SaveBar } from './save-bar.tsx';
import { SettingsPane } from './settings/settings-pane.tsx';
import { useNewWorkbench, WorkbenchProvider } from './workbench.ts';
import { WorkbenchLayout } from './workbench-layout.tsx';

/** Write, try and save the next version of a preset. */
export function WorkbenchTab() {
  const { slug, snapshot } = usePresetActions();
  const { api, workspaceId } = useSession();
  const name = draftName(useSession(), slug);
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
  if (data !== undefined) return <OpenWorkbench key={base} name={name} version={data} />;
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
  readonly version: PresetVersionDetails;
}

function OpenWorkbench({ name, version }: OpenWorkbenchProps) {
  const { slug, snapshot, canChange } = usePresetActions();
  useShownVersion(version.version);
  const pristine = useMemo(() => versionToRequest(version), [version]);
  const [start] = useState(() => ({
    text: pristine,
    slug,
    before: snapshot,
    ...loadDraft(name),
    from: version.version,
  }));
  const workbench = useNewWorkbench({
    slug,
    snapshot,
    start,
    pristine,
    baseDialect: version.dialect,
    canEdit: canChange,
  });
  const discardDraft = useDraftAutosave(name, workbench.capture.draft, workbench.isChanged);
  return (
    <WorkbenchProvider value={workbench}>
      <SaveBar pristine={pristine} onSaved={discardDraft} />
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
