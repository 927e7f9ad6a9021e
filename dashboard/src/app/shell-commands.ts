/** The commands that are the same on every page. */

import { useLocation } from 'wouter';
import { useSession } from '../api/session.ts';
import { workspacePath } from '../components/addresses.ts';
import { type Command, useCommands } from '../components/commands.ts';
import { messageOf } from '../components/notice.tsx';
import { useToast } from '../components/toasts.tsx';
import { withDialog } from '../components/use-dialog-in-url.ts';
import { useAccess } from '../features/organization/access.tsx';
import { accountPages, guidesPage, useNavigationPages } from './pages.tsx';
import { chooseTheme, themes, useTheme } from './theme.ts';

/** In the palette they come after what the page offers. The values are the icons. */
export const shellGroups = { General: 'action', 'Go to': 'page', 'Switch workspace': 'workspace' } as const;

/** Opens the palette, which therefore does not list it. */
export const paletteKeys = 'Mod+K';

interface ShellCommands {
  readonly openPalette: () => void;
  readonly openKeyList: () => void;
}

export function useShellCommands({ openPalette, openKeyList }: ShellCommands): void {
  const { may, workspace, account, hasOrganization } = useSession();
  const { isAdmin, canWrite } = useAccess();
  const [, navigate] = useLocation();
  const theme = useTheme();
  const signOut = useSignOut();
  const pages = [...useNavigationPages(), ...accountPages, guidesPage];
  useCommands([
    may('write') &&
      workspace && {
        title: 'New preset',
        group: 'General',
        keywords: 'create add capture request',
        run: () => navigate(workspacePath(workspace.slug, '/new')),
      },
    isAdmin && {
      title: 'Invite a person',
      group: 'General',
      keywords: 'add member user people',
      run: () => navigate(withDialog('/organization/members')),
    },
    canWrite &&
      hasOrganization && {
        title: 'New key',
        group: 'General',
        keywords: 'create api management token secret',
        run: () => navigate(withDialog('/organization/keys')),
      },
    ...themes
      .filter(([choice]) => choice !== theme)
      .map(([choice, title]) => ({
        title: `Use ${title.toLowerCase()}`,
        group: 'General',
        keywords: 'appearance colors mode',
        run: () => chooseTheme(choice),
      })),
    { title: 'Search and commands', group: 'General', keys: paletteKeys, run: openPalette },
    { title: 'Keyboard shortcuts', group: 'General', keys: '?', keywords: 'help keys', run: openKeyList },
    { title: 'Sign out', group: 'General', keywords: 'log out leave', run: signOut },
    ...pages.map(({ title, href, keywords }) => ({
      title,
      group: 'Go to',
      ...(keywords && { keywords }),
      run: () => navigate(href),
    })),
    ...account.workspaces
      .filter(({ id }) => id !== workspace?.id)
      .map(
        ({ name, slug }): Command => ({
          title: `Switch to ${name}`,
          group: 'Switch workspace',
          keywords: `workspace ${slug}`,
          run: () => navigate(workspacePath(slug)),
        }),
      ),
  ]);
}

/** Shows a toast if the server cannot be reached: the session is then still active. */
export function useSignOut(): () => void {
  const { signOut } = useSession();
  const showToast = useToast();
  return () => void signOut().catch((error) => showToast(`Could not sign out: ${messageOf(error)}`));
}
