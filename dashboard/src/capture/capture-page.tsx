import { useSession } from '../session/session.tsx';
import { ButtonLink } from '../ui/button.tsx';
import { Notice } from '../ui/notice.tsx';
import { Page } from '../ui/page.tsx';
import { NewPreset } from './new-preset.tsx';
import { NewVersion } from './new-version.tsx';

/**
 * Creates a preset, or with `slug` a new version of one. Read-only keys see an explanation instead.
 */
export function CapturePage({ slug }: { readonly slug: string | undefined }) {
  const { canWrite } = useSession();
  if (!canWrite)
    return (
      <Page title={slug === undefined ? 'New preset' : `New version of ${slug}`}>
        <Notice
          kind="warning"
          title="This key is read-only"
          actions={<ButtonLink href="/">Go to presets</ButtonLink>}
        >
          To capture a request, sign in with a key that can write.
        </Notice>
      </Page>
    );
  return slug === undefined ? <NewPreset /> : <NewVersion slug={slug} />;
}
