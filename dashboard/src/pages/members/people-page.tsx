import { Ellipsis, Upload, UserPlus } from 'lucide-react';
import { useState } from 'react';
import { isMemberCountExact } from '../../../../src/api/member-count.ts';
import type { Person } from '../../../../src/api/people.ts';
import { personName, usePeople, useProviderNames } from '../../api/organization.ts';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { SearchField } from '../../components/fields.tsx';
import { lazyComponent } from '../../components/loading.tsx';
import { Menu } from '../../components/menu.tsx';
import { EmptyState } from '../../components/notice.tsx';
import { Page, Panel } from '../../components/page.tsx';
import { PagedList } from '../../components/paged-list.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { capitalize } from '../../components/text.ts';
import { Time } from '../../components/time.tsx';
import { useUrlParams } from '../../components/use-url-params.ts';
import { RoleBadge, useAccess } from '../organization/access.tsx';
import styles from '../organization/organization.module.css';
import { InviteDialog, LinkDialog, NewLinkDialog, type SignInLink } from './link-dialogs.tsx';
import {
  DeactivateDialog,
  EditPersonDialog,
  ReactivateDialog,
  RemovePersonDialog,
  SessionsDialog,
} from './person-dialogs.tsx';

// The CSV reader is loaded only by those who import.
const ImportDialog = lazyComponent(async () => (await import('./import-dialog.tsx')).ImportDialog);

type PersonAction = 'edit' | 'link' | 'sessions' | 'deactivate' | 'reactivate' | 'remove';

type Open =
  | { readonly action: 'invite' | 'import' }
  | { readonly action: PersonAction; readonly person: Person };

/** Everyone in the organization. Only admins can invite and change people. */
export function PeoplePage() {
  const { isAdmin, restriction } = useAccess();
  const { value, change } = useUrlParams();
  const [open, setOpen] = useState<Open>();
  // A new link exists only here, until its dialog closes.
  const [link, setLink] = useState<SignInLink>();
  const close = () => setOpen(undefined);
  const showLink = (created: SignInLink) => {
    close();
    setLink(created);
  };
  return (
    <Page
      title="People"
      lead={restriction ?? 'Everyone in the organization, how they sign in and what they can access.'}
      actions={
        isAdmin && (
          <>
            <Button onClick={() => setOpen({ action: 'import' })}>
              <Upload aria-hidden="true" />
              Import from CSV
            </Button>
            <Button variant="primary" onClick={() => setOpen({ action: 'invite' })}>
              <UserPlus aria-hidden="true" />
              Invite
            </Button>
          </>
        )
      }
    >
      <Panel isFlush>
        <search className={styles.filters}>
          <div className={styles.grow}>
            <SearchField
              label="Search people"
              placeholder="Search by name or email"
              maxLength={254}
              q={value('q')}
              onSearch={(q) => change({ q, offset: '' }, { replace: true })}
            />
          </div>
        </search>
        <PeopleList {...(isAdmin && { onAction: (action, person) => setOpen({ action, person }) })} />
      </Panel>
      {open?.action === 'invite' && <InviteDialog onInvited={showLink} onClose={close} />}
      {open?.action === 'import' && <ImportDialog onClose={close} />}
      {open !== undefined && 'person' in open && (
        <PersonDialog action={open.action} person={open.person} onLink={showLink} onClose={close} />
      )}
      {link && <LinkDialog link={link} onClose={() => setLink(undefined)} />}
    </Page>
  );
}

interface PersonDialogProps {
  readonly action: PersonAction;
  readonly person: Person;
  readonly onLink: (link: SignInLink) => void;
  readonly onClose: () => void;
}

function PersonDialog({ action, onLink, ...shared }: PersonDialogProps) {
  switch (action) {
    case 'edit':
      return <EditPersonDialog {...shared} />;
    case 'link':
      return <NewLinkDialog {...shared} onCreated={onLink} />;
    case 'sessions':
      return <SessionsDialog {...shared} />;
    case 'deactivate':
      return <DeactivateDialog {...shared} />;
    case 'reactivate':
      return <ReactivateDialog {...shared} />;
    case 'remove':
      return <RemovePersonDialog {...shared} />;
  }
}

const limit = 50;

interface PeopleListProps {
  /** Absent if the user may not change people. */
  readonly onAction?: (action: PersonAction, person: Person) => void;
}

/** The people that match the search in the URL. Marks the signed-in user. */
function PeopleList({ onAction }: PeopleListProps) {
  const { isMe } = useAccess();
  const { value, offset, change } = useUrlParams();
  const q = value('q');
  const query = usePeople({ q, offset, limit });
  const nameColumn: Column<Person> = {
    title: 'Name',
    cell: (person) => <PersonName person={person} isMe={isMe(person.id)} />,
  };
  return (
    <PagedList
      query={query}
      limit={limit}
      isTotalExact={query.data && isMemberCountExact(query.data, offset, q)}
      one="member"
      lines={8}
      // Without a search there is always at least the user.
      empty={
        <EmptyState title="No matching people">
          <Button onClick={() => change({ q: '', offset: '' })}>Show everyone</Button>
        </EmptyState>
      }
    >
      {(people, isStale) => (
        <Table
          label="People"
          columns={[nameColumn, ...columns, ...(onAction ? [actionsColumn(onAction)] : [])]}
          rows={people}
          keyOf={({ id }) => id}
          isStale={isStale}
        />
      )}
    </PagedList>
  );
}

function PersonName({ person, isMe }: { readonly person: Person; readonly isMe: boolean }) {
  const name = personName(person);
  return (
    <span className={styles.stacked}>
      <span>
        {name === '' ? <span className="muted">No name</span> : <span className="strong">{name}</span>}
        {isMe && <span className="muted"> (you)</span>}
      </span>
      <span className="muted">{person.email}</span>
    </span>
  );
}

const columns: readonly Column<Person>[] = [
  { title: 'Role', cell: ({ role }) => <RoleBadge role={role} /> },
  { title: 'Workspaces', cell: (person) => <Workspaces person={person} /> },
  { title: 'Status', cell: ({ status }) => <Badge tone={tones[status]}>{capitalize(status)}</Badge> },
  { title: 'Signs in with', cell: (person) => <SignInMethods person={person} /> },
  {
    title: 'Last active',
    cell: ({ last_active_at: at, status }) => (
      <span className={styles.time}>
        {at === null ? (
          <span className="muted">{status === 'invited' ? 'Never' : '–'}</span>
        ) : (
          <Time at={at} />
        )}
      </span>
    ),
  },
];

const tones = { active: 'success', invited: 'accent', deactivated: 'warning' } as const;

/** More than this many are counted. */
const workspacesShown = 3;

/** An admin of the organization is an admin of every workspace, so theirs are not listed. */
function Workspaces({ person: { role, workspaces } }: { readonly person: Person }) {
  if (role === 'org:admin') return <span className="muted">All, as admin</span>;
  const others = workspaces.slice(workspacesShown);
  return (
    <ul className={styles.roles}>
      {workspaces.slice(0, workspacesShown).map(({ id, name, role: workspaceRole }) => (
        <li key={id}>
          {name} <span className="muted">{workspaceRole}</span>
        </li>
      ))}
      {others.length > 0 && (
        <li className="muted" title={others.map(({ name, role: each }) => `${name} ${each}`).join(', ')}>
          and {others.length} more
        </li>
      )}
    </ul>
  );
}

function SignInMethods({ person }: { readonly person: Person }) {
  return signInMethods(person, useProviderNames());
}

/** "Password, Okta"; a dash before the first sign-in, and if only an org:admin may know. */
export function signInMethods(
  { has_password, providers, is_provisioned }: Pick<Person, 'has_password' | 'providers' | 'is_provisioned'>,
  nameOf: (provider: string) => string,
): string {
  const methods = [
    ...(has_password ? ['Password'] : []),
    ...(providers ?? []).map(nameOf),
    ...(is_provisioned ? ['managed by SCIM'] : []),
  ];
  return methods.length === 0 ? '–' : methods.join(', ');
}

function actionsColumn(onAction: (action: PersonAction, person: Person) => void): Column<Person> {
  return {
    title: 'Actions',
    isTitleHidden: true,
    cell: (person) => {
      const { email, status } = person;
      const act = (action: PersonAction) => () => onAction(action, person);
      const isDeactivated = status === 'deactivated';
      return (
        <span className={styles.actions}>
          <Menu
            label={`Actions for ${email}`}
            button={<Ellipsis aria-hidden="true" />}
            items={[
              { text: 'Edit…', onClick: act('edit') },
              !isDeactivated && { text: 'New sign-in link…', onClick: act('link') },
              !isDeactivated && { text: 'Sessions…', onClick: act('sessions') },
              isDeactivated
                ? { text: 'Reactivate…', onClick: act('reactivate') }
                : { text: 'Deactivate…', onClick: act('deactivate'), isDangerous: true },
              { text: 'Remove…', onClick: act('remove'), isDangerous: true },
            ]}
          />
        </span>
      );
    },
  };
}
