import { Page } from '../parts/page.tsx';

export function OrganizationPages(props: { readonly part: string }) {
  return <Page title="OrganizationPages">{JSON.stringify(props)}</Page>;
}
