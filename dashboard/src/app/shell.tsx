import { LogOut } from 'lucide-react';
import { type ReactNode, useEffect } from 'react';
import { Link, useLocation, useRoute } from 'wouter';
import { useWorkspaceOptions } from '../api/organization.ts';
import { useSession } from '../api/session.ts';
import { Button } from '../components/button.tsx';
import { classNames } from '../components/class-names.ts';
import { SelectField } from '../components/fields.tsx';
import styles from './shell.module.css';
import { Logo } from './sign-in-page.tsx';

/** The frame of every page: navigation, workspace and session. */
export function Shell({ children }: { readonly children: ReactNode }) {
  const { isManagement, key, signOut } = useSession();
  useFocusRecovery();
  return (
    <div className={styles.shell}>
      <a href="#content" className={styles.skip}>
        Skip to content
      </a>
      <header className={styles.bar}>
        <Link href="/" className={styles.brand}>
          <Logo />
          presetd
        </Link>
        <nav className={styles.navigation} aria-label="Main">
          <NavLink href="/" childPattern={/^\/(new$|presets\/)/} text="Presets" />
          {isManagement && (
            <>
              <NavLink href="/organization/members" text="Members" />
              <NavLink href="/organization/workspaces" text="Workspaces" />
              <NavLink href="/organization/keys" text="Keys" />
              <NavLink href="/organization/audit" text="Audit log" />
            </>
          )}
        </nav>
        <div className={styles.session}>
          {isManagement && <WorkspaceSwitcher />}
          <span className={styles.key} title={`${key.name} (${key.label})`}>
            {key.name}
          </span>
          <Button variant="quiet" isSmall onClick={signOut}>
            <LogOut aria-hidden="true" />
            Sign out
          </Button>
        </div>
      </header>
      <main id="content" tabIndex={-1} className={styles.content}>
        {children}
      </main>
    </div>
  );
}

interface NavLinkProps {
  readonly href: string;
  /** Matches the pages below this one, for which it is highlighted too. */
  readonly childPattern?: string | RegExp;
  readonly text: string;
}

/** `aria-current` is `page` for the page itself and `true` for pages below it. */
function NavLink({ href, childPattern = href, text }: NavLinkProps) {
  const [isHere] = useRoute(href);
  const [isBelow] = useRoute(childPattern);
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

/** Selects the workspace that a management key shows. Renders nothing if there is only one. */
function WorkspaceSwitcher() {
  const { workspaceId, chooseWorkspace } = useSession();
  const [path, navigate] = useLocation();
  const { data } = useWorkspaceOptions();
  if (data === undefined) return null;
  const selected = data.find(({ id, is_default }) =>
    workspaceId === undefined ? is_default : id === workspaceId,
  );
  if (selected !== undefined && data.length < 2) return null;
  // The default workspace is stored as undefined, since it is the API's default, too.
  const options = data.map(({ id, name }) => [id, name] as const);
  return (
    <SelectField
      label="Workspace"
      isLabelHidden
      value={selected?.id ?? ''}
      // The selected workspace may have been deleted, or not be among the first hundred.
      options={selected === undefined ? [['', 'Another workspace'], ...options] : options}
      onChange={(id) => {
        chooseWorkspace(
          data.find((workspace) => workspace.id === id)?.is_default ? undefined : id || workspaceId,
        );
        // The preset on screen does not exist in the other workspace.
        if (path.startsWith('/presets/')) navigate('/');
      }}
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
