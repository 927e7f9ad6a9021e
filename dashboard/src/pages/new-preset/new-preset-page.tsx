import { useSession } from '../../api/session.ts';
import { ButtonLink } from '../../components/button.tsx';
import { Notice } from '../../components/notice.tsx';
import { Page } from '../../components/page.tsx';
import { draftName } from '../../features/drafts/drafts.ts';
import { NewPresetForm } from './new-preset-form.tsx';

/** Creates a preset. Users who may only read see an explanation instead. */
export function NewPresetPage() {
  const session = useSession();
  const name = draftName(session, undefined);
  // The key remounts the form when another workspace, and so another draft, is selected.
  if (session.may('write')) return <NewPresetForm key={name} draftName={name} />;
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
