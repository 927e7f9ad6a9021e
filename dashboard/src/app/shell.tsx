import { ChevronDown } from 'lucide-react';
import { type ReactNode, useEffect } from 'react';
import { Link, useLocation, useRoute } from 'wouter';
import type { Account } from '../../../src/api/account.ts';
import { personName } from '../api/organization.ts';
import { useSession } from '../api/session.ts';
import { workspacePath } from '../components/addresses.ts';
import { Logo } from '../components/card-page.tsx';
import { classNames } from '../components/class-names.ts';
import { SelectField } from '../components/fields.tsx';
import { Menu } from '../components/menu.tsx';
import { messageOf } from '../components/notice.tsx';
import { useToast } from '../components/toasts.tsx';
import styles from './shell.module.css';

/** The frame of every page: workspace, navigation and account. */
export function Shell({ children }: { readonly children: ReactNode }) {
  const { hasOrganization, workspace } = useSession();
  useFocusRecovery();
  return (
    <div className={styles.shell}>
      <a href="#content" className={styles.skip}>
        Skip to content
      </a>
      <header className={styles.bar}>
        <div className={styles.place}>
          <Link href="/" className={styles.brand}>
            <Logo />
            presetd
          </Link>
          <WorkspaceSwitcher />
        </div>
        <nav className={styles.navigation} aria-label="Main">
          <NavLink
            href={workspace === undefined ? '/' : workspacePath(workspace.slug)}
            childPattern={/^\/w\//}
            text="Presets"
          />
          {hasOrganization && (
            <>
              <NavLink href="/organization/members" text="People" />
              <NavLink href="/organization/workspaces" text="Workspaces" />
              <NavLink href="/organization/keys" text="Keys" />
              <NavLink href="/organization/audit" text="Audit log" />
            </>
          )}
        </nav>
        <AccountMenu />
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

/** Leads to the presets of another workspace. With one workspace, it only shows its name. */
function WorkspaceSwitcher() {
  const { account, workspace } = useSession();
  const [, navigate] = useLocation();
  const { workspaces } = account;
  if (workspace !== undefined && workspaces.length < 2)
    return <span className={styles.workspace}>{workspace.name}</span>;
  const options = workspaces.map(({ slug, name }) => [slug, name] as const);
  return (
    <div className={styles.switcher}>
      <SelectField
        label="Workspace"
        isLabelHidden
        value={workspace?.slug ?? ''}
        options={workspace === undefined ? [['', 'Choose a workspace'], ...options] : options}
        onChange={(slug) => slug !== '' && navigate(workspacePath(slug))}
      />
    </div>
  );
}

/** Shows the signed-in person, and how they signed in. */
function AccountMenu() {
  const { account, signOut } = useSession();
  const showToast = useToast();
  const leave = () => signOut().catch((error) => showToast(`Could not sign out: ${messageOf(error)}`));
  const name = personName(account) || account.email;
  return (
    <div className={styles.session}>
      <Menu
        label={`Account of ${name}`}
        buttonClassName={styles.account}
        button={
          <>
            {/* As a style: it is no part of the name that speech control users say. */}
            <span className={styles.avatar} data-initials={initialsOf(account)} aria-hidden="true" />
            <span className={styles.name}>{name}</span>
            <ChevronDown aria-hidden="true" />
          </>
        }
        head={
          <>
            <p className="strong">{name}</p>
            {name !== account.email && <p className="note">{account.email}</p>}
            {account.credential.kind !== 'session' && (
              <p className="note">
                Signed in with {account.credential.kind === 'api' ? 'the API key' : 'the management key'}{' '}
                <span className="mono">{account.credential.label}</span>
              </p>
            )}
          </>
        }
        items={[
          { text: 'Account', href: '/account' },
          { text: 'API reference', href: '/docs' },
          { text: 'Sign out', onClick: () => void leave() },
        ]}
      />
    </div>
  );
}

/** Two letters for a name, one for an address. */
export function initialsOf({
  first_name,
  last_name,
  email,
}: Pick<Account, 'first_name' | 'last_name' | 'email'>): string {
  const letters = [first_name, last_name].map((name) => [...name.trim()][0] ?? '').join('');
  return (letters || ([...email][0] ?? '')).toLocaleUpperCase('en');
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
