import { ButtonLink } from '../parts/button.tsx';
import { Notice } from '../parts/notice.tsx';
import { Page } from '../parts/page.tsx';
import { useSession } from '../session/session.tsx';
import { NewPreset } from './new-preset.tsx';
import { NewVersion } from './new-version.tsx';

/** Makes a preset from a request, or the next version of the one that is named. */
export function CapturePage({ slug }: { readonly slug: string | undefined }) {
  const { canWrite } = useSession();
  if (!canWrite)
    return (
      <Page title={slug === undefined ? 'New preset' : `New version of ${slug}`}>
        <Notice
          kind="warning"
          title="This key can only read"
          actions={<ButtonLink href="/">To the presets</ButtonLink>}
        >
          Sign in with a key that may write to capture a request.
        </Notice>
      </Page>
    );
  return slug === undefined ? <NewPreset /> : <NewVersion slug={slug} />;
}
