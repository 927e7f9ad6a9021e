import { ButtonLink } from '../parts/button.tsx';
import { Empty } from '../parts/empty.tsx';
import { Page } from '../parts/page.tsx';
import { Panel } from '../parts/panel.tsx';
import { useSession } from '../session/session.tsx';

interface MissingPresetProps {
  readonly slug: string;
  /** The server's own words. */
  readonly message: string;
}

export function MissingPreset({ slug, message }: MissingPresetProps) {
  const { isManagement } = useSession();
  return (
    <Page title={slug}>
      <Panel>
        <Empty title="No such preset">
          <p>{message}</p>
          {isManagement && <p>It may be in another workspace, which you choose above.</p>}
          <ButtonLink href="/">To the presets</ButtonLink>
        </Empty>
      </Panel>
    </Page>
  );
}
