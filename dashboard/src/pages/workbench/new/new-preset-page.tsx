import { useMemo, useState } from 'react';
import { useSession } from '../../../api/session.ts';
import { ButtonLink } from '../../../components/button.tsx';
import { Notice } from '../../../components/notice.tsx';
import { Page } from '../../../components/page.tsx';
import { draftName, loadDraft } from '../../../features/drafts/drafts.ts';
import { OpenWorkbench } from '../open-workbench.tsx';
import type { StartVersion } from '../shown-draft.ts';
import styles from './new-preset.module.css';
import { NewPresetBar } from './new-preset-bar.tsx';
import { NewPresetStart } from './new-preset-start.tsx';

/** Creates a preset in the workbench. Users who may only read see an explanation instead. */
export function NewPresetPage() {
  const session = useSession();
  const name = draftName(session, undefined);
  // The key opens another workbench when another workspace, and so another draft, is selected.
  if (session.may('write')) return <NewPreset key={name} name={name} />;
  const isViewer = session.account.credential.scope === 'write';
  return (
    <Page title="New preset">
      <Notice
        kind="warning"
        title={isViewer ? 'You are a viewer of this workspace' : 'This key is read-only'}
        actions={<ButtonLink href="/presets">Go to presets</ButtonLink>}
      >
        {isViewer
          ? 'To create presets, ask an admin of the workspace to make you an editor.'
          : 'To create presets, sign in with a key that can write.'}
      </Notice>
    </Page>
  );
}

/** There is nothing before version 1. Chat completions need a message; the prompt replaces it. */
const emptyVersion: StartVersion = {
  version: 0,
  dialect: 'chat-completions',
  config: {},
  system_prompt: null,
  presetd: null,
};

function NewPreset({ name }: { readonly name: string }) {
  const { workspace } = useSession();
  const presetId = `new/${workspace?.id ?? ''}`;
  const home = useMemo(() => ({ name, slug: '', presetId, sender: undefined }), [name, presetId]);
  const [draft] = useState(() => loadDraft(name));
  return (
    <Page
      title="New preset"
      guide="capture"
      actions={<ButtonLink href="/presets">Cancel</ButtonLink>}
      isCompact
    >
      <div className={styles.page}>
        <OpenWorkbench
          home={home}
          preset={undefined}
          canEdit
          start={emptyVersion}
          draft={draft}
          renderBar={(bar) => <NewPresetBar {...bar} />}
          renderStart={(start) => <NewPresetStart {...start} />}
        />
      </div>
    </Page>
  );
}
