import { LogOut } from 'lucide-react';
import type { ReactNode } from 'react';
import { Link, useRoute } from 'wouter';
import { Button } from '../parts/button.tsx';
import { Logo } from '../parts/logo.tsx';
import { useSession } from '../session/session.tsx';
import styles from './shell.module.css';
import { useKeptFocus } from './use-kept-focus.ts';
import { WorkspaceChoice } from './workspace-choice.tsx';

/** What is around every page: where one is, where one can go, and as whom. */
export function Shell({ children }: { readonly children: ReactNode }) {
  const { isManagement, key, signOut } = useSession();
  useKeptFocus();
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
          <Destination href="/" alsoFor={/^\/(new$|presets\/)/} text="Presets" />
          {isManagement && (
            <>
              <Destination href="/organization/members" text="Members" />
              <Destination href="/organization/workspaces" text="Workspaces" />
              <Destination href="/organization/keys" text="Keys" />
              <Destination href="/organization/audit" text="Audit" />
            </>
          )}
        </nav>
        <div className={styles.session}>
          {isManagement && <WorkspaceChoice />}
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

interface DestinationProps {
  readonly href: string;
  /** A pattern of further pages that belong to it. */
  readonly alsoFor?: string | RegExp;
  readonly text: string;
}

function Destination({ href, alsoFor = href, text }: DestinationProps) {
  const [isHere] = useRoute(href);
  const [isBelow] = useRoute(alsoFor);
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
