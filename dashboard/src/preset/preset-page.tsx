import { Page } from '../parts/page.tsx';

export function PresetPage(props: { readonly slug: string; readonly tab: string | undefined }) {
  return <Page title="PresetPage">{JSON.stringify(props)}</Page>;
}
