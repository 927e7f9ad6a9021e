/**
 * The pages that people can go to from anywhere. Routes, navigation, account menu and command
 * palette all come from these lists.
 */

import type { ComponentType } from 'react';
import { useSession } from '../api/session.ts';
import { workspacePath } from '../components/addresses.ts';
import { lazyComponent, PageSkeleton } from '../components/loading.tsx';
import { PresetsPage } from '../pages/presets/presets-page.tsx';
import { ApiReference } from './api-reference.tsx';

interface ListedPage {
  readonly title: string;
  readonly href: string;
  /** Search keywords besides the title. */
  readonly keywords?: string;
}

interface RoutedPage extends ListedPage {
  readonly Content: ComponentType;
}

interface WorkspacePage extends RoutedPage {
  /** Matches the pages below this one, for which its link is highlighted too. */
  readonly childPattern?: RegExp;
  /** The path of the page and of those below it, if it shows them itself. */
  readonly pattern?: string;
}

/** Their addresses are relative to the workspace. */
export const workspacePages: readonly WorkspacePage[] = [
  {
    title: 'Presets',
    href: '/presets',
    Content: PresetsPage,
    childPattern: /^\/w\/[^/]+\/(?:presets|new)(?:\/|$)/,
  },
  {
    title: 'Usage',
    href: '/usage',
    Content: lazyComponent(
      async () => (await import('../pages/usage/usage-page.tsx')).UsagePage,
      PageSkeleton,
    ),
    keywords: 'cost spend money tokens latency errors charts analytics metrics',
  },
  {
    title: 'Calls',
    href: '/calls',
    pattern: '/calls/:call?',
    Content: lazyComponent(
      async () => (await import('../pages/calls/calls-page.tsx')).CallsPage,
      PageSkeleton,
    ),
    childPattern: /^\/w\/[^/]+\/calls(?:\/|$)/,
    keywords: 'log requests generations traces history',
  },
];

/** By the last segment of the URL. `organization-pages.tsx` has the pages themselves. */
export const organizationTitles = {
  members: 'People',
  workspaces: 'Workspaces',
  keys: 'Keys',
  audit: 'Audit log',
} as const;

/** They are in the account menu instead of the navigation. */
export const accountPages: readonly RoutedPage[] = [
  {
    title: 'Account',
    href: '/account',
    Content: lazyComponent(
      async () => (await import('../pages/account/account-page.tsx')).AccountPage,
      PageSkeleton,
    ),
  },
  { title: 'API reference', href: '/docs', Content: ApiReference, keywords: 'docs openapi' },
];

/** Its route also has the guides themselves. */
export const guidesPage: ListedPage = {
  title: 'Guides',
  href: '/guides',
  keywords: 'help docs documentation manual',
};

/** The pages in the navigation that this person can open. */
export function useNavigationPages(): readonly (ListedPage & Partial<WorkspacePage>)[] {
  const { workspace, hasOrganization } = useSession();
  return [
    ...workspacePages.map((page) => ({
      ...page,
      href: workspace === undefined ? '/' : workspacePath(workspace.slug, page.href),
    })),
    ...(hasOrganization
      ? Object.entries(organizationTitles).map(([part, title]) => ({ title, href: `/organization/${part}` }))
      : []),
  ];
}
