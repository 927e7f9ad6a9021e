import { KeyRound } from 'lucide-react';
import { useState } from 'react';
import { useKeyRows, useOrganizationChange, useOwnSessions } from '../../api/organization.ts';
import { useSession } from '../../api/session.ts';
import { Button } from '../../components/button.tsx';
import { ConfirmDialog } from '../../components/dialog.tsx';
import { EmptyState, messageOf, Notice } from '../../components/notice.tsx';
import { Page, Panel } from '../../components/page.tsx';
import { useToast } from '../../components/toasts.tsx';
import { KeyTable } from '../../features/keys/key-table.tsx';
import { useKeyDialogs } from '../../features/keys/use-key-dialogs.tsx';
import { SessionTable } from '../../features/organization/session-table.tsx';
import styles from './account.module.css';
import { PasswordPanel } from './password-panel.tsx';
import { ProfilePanel } from './profile-panel.tsx';

/** The user's own account. With a key it can only be viewed: a leaked key must not take it over. */
export function AccountPage() {
  const { account, hasOrganization } = useSession();
  const isSession = account.credential.kind === 'session';
  return (
    <Page title="Account" guide="sign-in" lead={leadOf(account)}>
      <div className="stack">
        {!isSession && (
          <Notice title="You are signed in with a key">
            To change your name, password and sessions, sign in with your account. A key cannot change them.
          </Notice>
        )}
        <div className={styles.columns}>
          <ProfilePanel canChange={isSession} />
          {isSession && account.can_set_password && <PasswordPanel />}
        </div>
        {isSession && <SessionsPanel />}
        {hasOrganization && <OwnKeysPanel />}
      </div>
    </Page>
  );
}

function leadOf({ email, organization }: ReturnType<typeof useSession>['account']): string {
  if (organization === null) return email;
  return `${email}, ${organization.role === 'org:admin' ? 'admin' : 'member'} of ${organization.name}`;
}

function SessionsPanel() {
  const { signOut } = useSession();
  const query = useOwnSessions();
  const showToast = useToast();
  const [isConfirming, setIsConfirming] = useState(false);
  const ending = useOrganizationChange();
  const endingAll = useOrganizationChange(() => void signOut({ isEnded: true }));
  return (
    <Panel
      title="Sessions"
      isFlush
      actions={
        <Button isSmall variant="danger" onClick={() => setIsConfirming(true)}>
          Sign out everywhere…
        </Button>
      }
    >
      <SessionTable
        query={query}
        isEnding={ending.isPending}
        onEnd={({ id, label }) =>
          ending.mutate(
            (api) => api.call('DELETE /account/sessions/:session_id', { params: { session_id: id } }),
            {
              onSuccess: () => showToast(`Ended ${label}`),
              onError: (error) => showToast(`Could not end ${label}: ${messageOf(error)}`),
            },
          )
        }
      />
      {isConfirming && (
        <ConfirmDialog
          title="Sign out everywhere"
          submitLabel="Sign out everywhere"
          onSubmit={() => endingAll.mutate((api) => api.call('DELETE /account/sessions'))}
          onClose={() => setIsConfirming(false)}
          change={endingAll}
        >
          <p>All your sessions end, including this one. Your keys keep working.</p>
        </ConfirmDialog>
      )}
    </Panel>
  );
}

function OwnKeysPanel() {
  const { account } = useSession();
  const source = useKeyRows({ mine: true, include_disabled: true });
  const { create, act, dialogs } = useKeyDialogs({ isMine: true });
  const canWrite = account.credential.scope === 'write';
  return (
    <Panel
      title="Your keys"
      isFlush
      actions={
        canWrite && (
          <Button isSmall onClick={create}>
            <KeyRound aria-hidden="true" />
            New key
          </Button>
        )
      }
    >
      <KeyTable
        source={source}
        areMine
        isPlain
        onAction={act}
        empty={
          <EmptyState title="No keys yet">
            <p>Apps and scripts use keys to call presets. A key never exceeds your own role.</p>
          </EmptyState>
        }
      />
      {dialogs}
    </Panel>
  );
}
