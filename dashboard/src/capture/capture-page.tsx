import { Page } from '../parts/page.tsx';

export function CapturePage(props: { readonly slug: string | undefined }) {
  return <Page title="CapturePage">{JSON.stringify(props)}</Page>;
}
