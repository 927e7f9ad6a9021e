import { ButtonLink } from '../ui/button.tsx';
import { Page } from '../ui/page.tsx';

export function NotFoundPage() {
  return (
    <Page title="Page not found" lead="There is no page at this address.">
      <ButtonLink href="/">Go to presets</ButtonLink>
    </Page>
  );
}
