import { useSession } from '../session/session.tsx';
import { ButtonLink } from '../ui/button.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { Page } from '../ui/page.tsx';
import { Panel } from '../ui/panel.tsx';

interface MissingPresetProps {
  readonly slug: string;
  /** The server's message. */
  readonly message: string;
}

export function MissingPreset({ slug, message }: MissingPresetProps) {
  const { isManagement } = useSession();
  return (
    <Page title={slug}>
      <Panel>
        <EmptyState title="Preset not found">
          <p>{message}</p>
          {isManagement && <p>It may be in another workspace. You can switch workspaces above.</p>}
          <ButtonLink href="/">Go to presets</ButtonLink>
        </EmptyState>
      </Panel>
    </Page>
  );
}
