import { ButtonLink } from '../parts/button.tsx';
import { Page } from '../parts/page.tsx';

export function NotFoundPage() {
  return (
    <Page title="Nothing here" lead="There is no page at this address.">
      <ButtonLink href="/">To the presets</ButtonLink>
    </Page>
  );
}
