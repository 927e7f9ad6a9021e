import { LogOut } from 'lucide-react';
import type { ReactNode } from 'react';
import { Link, useRoute } from 'wouter';
import { useSession } from '../session/session.tsx';
import { Button } from '../ui/button.tsx';
import { Logo } from '../ui/logo.tsx';
import styles from './shell.module.css';
import { useFocusRecovery } from './use-focus-recovery.ts';
import { WorkspaceSwitcher } from './workspace-switcher.tsx';

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
      className={styles.destination}
      aria-current={isHere ? 'page' : isBelow ? 'true' : undefined}
    >
      {text}
    </Link>
  );
}
