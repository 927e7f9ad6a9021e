import { Upload, UserPlus } from 'lucide-react';
import { Fragment, useState } from 'react';
import type { Person } from '../../../../src/api/people.ts';
import { personName, roleName, usePeopleRows, useProviderNames } from '../../api/organization.ts';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import type { Column, Facet } from '../../components/data-table/column.ts';
import { DataTable } from '../../components/data-table/data-table.tsx';
import { RowButton } from '../../components/data-table/table-line.tsx';
import type { RowMenu } from '../../components/data-table/table-options.ts';
import { lazyComponent } from '../../components/loading.tsx';
import { Page, Panel } from '../../components/page.tsx';
import { capitalize } from '../../components/text.ts';
import { Time } from '../../components/time.tsx';
import { useDialogInUrl } from '../../components/use-dialog-in-url.ts';
import { useUrlParams } from '../../components/use-url-params.ts';
import { RoleBadge, useAccess } from '../../features/organization/access.tsx';
import { PersonLabel } from '../../features/organization/person-label.tsx';
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
  const [open, setOpen] = useState<Open>();
  // A new link exists only here, until its dialog closes.
  const [link, setLink] = useState<SignInLink>();
  const close = () => setOpen(undefined);
  useDialogInUrl(isAdmin ? () => setOpen({ action: 'invite' }) : undefined);
  const showLink = (created: SignInLink) => {
    close();
    setLink(created);
  };
  return (
    <Page
      guide="members"
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
        <PeopleTable {...(isAdmin && { onAction: (action, person) => setOpen({ action, person }) })} />
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

interface PeopleTableProps {
  /** Absent if the user may not change people. */
  readonly onAction?: (action: PersonAction, person: Person) => void;
}

/** The people that match the search in the URL. Marks the signed-in user. */
function PeopleTable({ onAction }: PeopleTableProps) {
  const { isMe } = useAccess();
  const { value } = useUrlParams();
  const providerName = useProviderNames();
  return (
    <DataTable
      id="people"
      label="People"
      noun={['person', 'people']}
      columns={columnsOf(isMe, providerName, onAction)}
      source={usePeopleRows(value('q'))}
      keyOf={({ id }) => id}
      search={{
        label: 'Search people',
        placeholder: 'Search by name or email',
        maxLength: 254,
        isOnServer: true,
      }}
      facets={facets}
      {...(onAction && { rowMenu: (person: Person) => menuOf(person, onAction) })}
    />
  );
}

const facets: readonly Facet<Person>[] = [
  {
    id: 'role',
    label: 'Role',
    options: [
      ['', 'All roles'],
      ['org:admin', 'Admins'],
      ['org:member', 'Members'],
    ],
    matches: ({ role }, value) => role === value,
  },
  {
    id: 'status',
    label: 'Status',
    options: [
      ['', 'All statuses'],
      ['active', 'Active'],
      ['invited', 'Invited'],
      ['deactivated', 'Deactivated'],
    ],
    matches: ({ status }, value) => status === value,
  },
];

function columnsOf(
  isMe: (id: string) => boolean,
  providerName: (id: string) => string,
  onAction: PeopleTableProps['onAction'],
): readonly Column<Person>[] {
  return [
    {
      id: 'name',
      title: 'Name',
      isFixed: true,
      value: personName,
      cell: (person) => {
        const label = <PersonLabel person={person} isMe={isMe(person.id)} />;
        return onAction ? <RowButton onClick={() => onAction('edit', person)}>{label}</RowButton> : label;
      },
    },
    {
      id: 'email',
      title: 'Email',
      isObvious: true,
      isHiddenByDefault: true,
      value: ({ email }) => email,
      cell: ({ email }) => <span title={email}>{email}</span>,
    },
    {
      id: 'role',
      title: 'Role',
      isObvious: true,
      isFit: true,
      value: ({ role }) => roleName(role),
      cell: ({ role }) => <RoleBadge role={role} />,
    },
    {
      id: 'workspaces',
      title: 'Workspaces',
      wraps: true,
      isSortable: false,
      value: workspacesText,
      cell: (person) => <Workspaces person={person} />,
    },
    {
      id: 'status',
      title: 'Status',
      isObvious: true,
      isFit: true,
      value: ({ status }) => status,
      cell: ({ status }) => <Badge tone={tones[status]}>{capitalize(status)}</Badge>,
    },
    {
      id: 'sign-in',
      title: 'Signs in with',
      value: (person) => signInMethods(person, providerName),
      cell: (person) => {
        const methods = signInMethods(person, providerName);
        return <span title={methods}>{methods}</span>;
      },
    },
    {
      id: 'active',
      title: 'Last active',
      isFit: true,
      isDescendingFirst: true,
      value: ({ last_active_at }) => last_active_at,
      cell: ({ last_active_at: at, status }) =>
        at === null ? (
          <span className="muted">{status === 'invited' ? 'Never' : '–'}</span>
        ) : (
          <Time at={at} />
        ),
    },
  ];
}

const tones = { active: 'neutral', invited: 'accent', deactivated: 'warning' } as const;

/** An admin of the organization is an admin of every workspace, so theirs are not listed. */
function Workspaces({ person }: { readonly person: Person }) {
  if (person.role === 'org:admin') return <span className="muted">All, as admin</span>;
  return (
    <span title={workspacesText(person)}>
      {person.workspaces.map(({ id, name, role }, index) => (
        <Fragment key={id}>
          {index > 0 && ', '}
          {name} <span className="muted">{role}</span>
        </Fragment>
      ))}
    </span>
  );
}

function workspacesText({ role, workspaces }: Person): string {
  if (role === 'org:admin') return 'All, as admin';
  return workspaces.map(({ name, role: workspaceRole }) => `${name} ${workspaceRole}`).join(', ');
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

function menuOf(person: Person, onAction: (action: PersonAction, person: Person) => void): RowMenu {
  const { email, status } = person;
  const act = (action: PersonAction) => () => onAction(action, person);
  const isDeactivated = status === 'deactivated';
  return {
    label: `Actions for ${email}`,
    items: [
      { text: 'Edit…', onClick: act('edit') },
      !isDeactivated && { text: 'New sign-in link…', onClick: act('link') },
      !isDeactivated && { text: 'Sessions…', onClick: act('sessions') },
      isDeactivated
        ? { text: 'Reactivate…', onClick: act('reactivate') }
        : { text: 'Deactivate…', onClick: act('deactivate'), isDangerous: true },
      { text: 'Remove…', onClick: act('remove'), isDangerous: true },
    ],
  };
}
