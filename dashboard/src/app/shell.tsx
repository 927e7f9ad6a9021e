import { ChevronsUpDown, Menu as MenuIcon, Search } from 'lucide-react';
import { type ComponentType, type ReactNode, useEffect, useState } from 'react';
import { Link, useLocation, useRoute } from 'wouter';
import { personName } from '../api/organization.ts';
import { useRememberOpened } from '../api/personal-lists.ts';
import { useSession } from '../api/session.ts';
import { workspacePath } from '../components/addresses.ts';
import { Avatar } from '../components/avatar.tsx';
import { Logo } from '../components/card-page.tsx';
import { classNames } from '../components/class-names.ts';
import { ariaKeys, useCommandKeys } from '../components/commands.ts';
import { Kbd } from '../components/kbd.tsx';
import { Menu } from '../components/menu.tsx';
import { useToast } from '../components/toasts.tsx';
import { ConnectionNotice } from './connection-notice.tsx';
import { useOpenPreset } from './open-preset.ts';
import { accountPages, guidesPage, useNavigationPages } from './pages.tsx';
import styles from './shell.module.css';
import { paletteKeys, useShellCommands, useSignOut } from './shell-commands.ts';
import { chooseTheme, themes, useTheme } from './theme.ts';

type Overlay = ComponentType<{ readonly onClose: () => void }>;

const loadPalette = async () => (await import('./palette/command-palette.tsx')).CommandPalette;
const loadKeyList = async () => (await import('./palette/key-list.tsx')).KeyList;

/** The frame of every page: workspace, navigation, search and account. */
export function Shell({ children }: { readonly children: ReactNode }) {
  const [Shown, setShown] = useState<Overlay>();
  const showToast = useToast();
  /** The page stays as it is if the part cannot be loaded, such as without a connection. */
  const open = (load: () => Promise<Overlay>) =>
    void load().then(
      (Part) => setShown(() => Part),
      () => showToast('Could not load this part. Check your connection, or reload the page'),
    );
  const openPalette = () => open(loadPalette);
  useFocusRecovery();
  useCommandKeys();
  usePalettePreload();
  useShellCommands({ openPalette, openKeyList: () => open(loadKeyList) });
  useRememberOpened(useOpenPreset()?.preset);
  return (
    <div className={styles.shell}>
      <a href="#content" className={styles.skip}>
        Skip to content
      </a>
      <header className={styles.bar}>
        <div className={styles.place}>
          <NavigationMenu />
          <Link href="/" className={styles.brand}>
            <Logo />
            <span className={styles.brandName}>presetd</span>
          </Link>
          <WorkspaceSwitcher />
        </div>
        <MainNavigation />
        <div className={styles.tools}>
          <ConnectionNotice />
          <button
            type="button"
            className={styles.search}
            aria-haspopup="dialog"
            aria-keyshortcuts={ariaKeys(paletteKeys)}
            onPointerEnter={preloadPalette}
            onFocus={preloadPalette}
            onClick={openPalette}
          >
            <Search aria-hidden="true" />
            <span className={styles.searchText}>Search</span>
            <span className={styles.searchKeys} aria-hidden="true">
              <Kbd keys={paletteKeys} />
            </span>
          </button>
          <AccountMenu />
        </div>
      </header>
      <main id="content" tabIndex={-1} className={styles.content}>
        {children}
      </main>
      {Shown && <Shown onClose={() => setShown(undefined)} />}
    </div>
  );
}

/** A failure is reported when the palette is opened. */
function preloadPalette(): void {
  loadPalette().catch(() => undefined);
}

/** Loads the palette on the first half of its keys, so that it is there for what is typed next. */
function usePalettePreload(): void {
  useEffect(() => {
    const preload = ({ key }: KeyboardEvent) => {
      if (key === 'Control' || key === 'Meta') preloadPalette();
    };
    addEventListener('keydown', preload);
    return () => removeEventListener('keydown', preload);
  }, []);
}

/** On a phone, `NavigationMenu` replaces it. */
function MainNavigation() {
  return (
    <nav className={styles.navigation} aria-label="Main">
      {useNavigationPages().map(({ title, href, childPattern }) => (
        <NavLink key={title} href={href} childPattern={childPattern} text={title} />
      ))}
    </nav>
  );
}

interface NavLinkProps {
  readonly href: string;
  readonly childPattern?: RegExp | undefined;
  readonly text: string;
}

/** `aria-current` is `page` for the page itself and `true` for pages below it. */
function NavLink({ href, childPattern, text }: NavLinkProps) {
  const [isHere] = useRoute(href);
  const [isBelow] = useRoute(childPattern ?? href);
  return (
    <Link
      href={href}
      className={classNames('tab', styles.destination)}
      aria-current={isHere ? 'page' : isBelow ? 'true' : undefined}
    >
      {text}
    </Link>
  );
}

/** All pages behind a button, so that a phone has its height for the page. */
function NavigationMenu() {
  const [path] = useLocation();
  return (
    <Menu
      label="Pages"
      align="start"
      buttonClassName={styles.menu}
      button={<MenuIcon aria-hidden="true" />}
      items={useNavigationPages().map(({ title, href, childPattern }) => ({
        text: title,
        href,
        isCurrent: path === href || childPattern?.test(path) === true,
      }))}
    />
  );
}

/** These pages look the same in every workspace. */
const organizationWide = /^\/organization(?:\/|$)/;

/**
 * Leads to the presets of another workspace. With one workspace, it only shows its name. It keeps
 * its width on pages of the organization, so that the navigation beside it does not move.
 */
function WorkspaceSwitcher() {
  const { account, workspace, hasOrganization } = useSession();
  const [isOfOrganization] = useRoute(organizationWide);
  const { workspaces } = account;
  const name = workspace?.name ?? 'Choose a workspace';
  const [shown, reserved] = isOfOrganization ? ['Organization', name] : [name, 'Organization'];
  const place = (
    <span className={styles.workspace}>
      <span>{shown}</span>
      {hasOrganization && <span aria-hidden="true">{reserved}</span>}
    </span>
  );
  if (workspace !== undefined && workspaces.length < 2) return place;
  return (
    <Menu
      label={isOfOrganization ? 'Organization: go to a workspace' : `Workspace: ${name}`}
      align="start"
      buttonClassName={styles.switcher}
      button={
        <>
          {place}
          <ChevronsUpDown aria-hidden="true" />
        </>
      }
      items={[
        ...workspaces.map(({ id, name: text, slug }) => ({
          text,
          href: workspacePath(slug),
          isCurrent: !isOfOrganization && id === workspace?.id,
        })),
        hasOrganization && {
          text: 'All workspaces',
          href: '/organization/workspaces',
          startsGroup: true,
        },
      ]}
    />
  );
}

/** Shows the signed-in person, and how they signed in. */
function AccountMenu() {
  const { account } = useSession();
  const signOut = useSignOut();
  const theme = useTheme();
  const name = personName(account) || account.email;
  return (
    <Menu
      label={`Account of ${name}`}
      buttonClassName={styles.account}
      button={<Avatar person={account} />}
      head={
        <>
          <div className="strong">{name}</div>
          {name !== account.email && <div className="note">{account.email}</div>}
          {account.credential.kind !== 'session' && (
            <div className="note">
              Signed in with {account.credential.kind === 'api' ? 'the API key' : 'the management key'}{' '}
              <span className="mono">{account.credential.label}</span>
            </div>
          )}
        </>
      }
      items={[
        ...[...accountPages, guidesPage].map(({ title, href }) => ({ text: title, href })),
        ...themes.map(([choice, text], index) => ({
          text,
          isCurrent: choice === theme,
          startsGroup: index === 0,
          onClick: () => chooseTheme(choice),
        })),
        { text: 'Sign out', onClick: signOut, startsGroup: true },
      ]}
    />
  );
}

/**
 * Recovers keyboard focus when the focused element is removed, such as the Enable button once it
 * was pressed. Focus then moves to the page title; browsers would reset it to the top of the
 * document.
 */
function useFocusRecovery(): void {
  useEffect(() => {
    let last: Element | null = null;
    const notice = ({ target }: FocusEvent) => {
      last = target instanceof Element ? target : null;
    };
    // No event reports that the focused element was removed, so watch the DOM.
    const observer = new MutationObserver(() => {
      if (last === null || last.isConnected || document.activeElement !== document.body) return;
      last = null;
      document.querySelector<HTMLElement>('main h1')?.focus({ preventScroll: true });
    });
    document.addEventListener('focusin', notice);
    observer.observe(document.body, { childList: true, subtree: true });
    return () => {
      document.removeEventListener('focusin', notice);
      observer.disconnect();
    };
  }, []);
}
