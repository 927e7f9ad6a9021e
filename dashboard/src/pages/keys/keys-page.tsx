import { KeyRound } from 'lucide-react';
import type { ComponentProps } from 'react';
import type { Key } from '../../../../src/api/keys.ts';
import { useKeyRows } from '../../api/organization.ts';
import { useSession } from '../../api/session.ts';
import { Button } from '../../components/button.tsx';
import type { Facet } from '../../components/data-table/column.ts';
import { SelectField } from '../../components/fields.tsx';
import { EmptyState } from '../../components/notice.tsx';
import { Page, Panel } from '../../components/page.tsx';
import { useDialogInUrl } from '../../components/use-dialog-in-url.ts';
import { useUrlParams } from '../../components/use-url-params.ts';
import { KeyTable, keyState } from '../../features/keys/key-table.tsx';
import { useKeyDialogs } from '../../features/keys/use-key-dialogs.tsx';
import { useAccess } from '../../features/organization/access.tsx';

/** All keys that the user may see. */
export function KeysPage() {
  const { isAdmin, canWrite, restriction } = useAccess();
  const { create, act, dialogs } = useKeyDialogs();
  useDialogInUrl(canWrite ? create : undefined);
  return (
    <Page
      guide="keys"
      title="Keys"
      lead={
        canWrite && !isAdmin
          ? 'Your keys and, in workspaces that you administer, those of others.'
          : (restriction ??
            'API keys give access to one workspace, management keys to the whole organization.')
      }
      actions={
        canWrite && (
          <Button variant="primary" onClick={create}>
            <KeyRound aria-hidden="true" />
            New key
          </Button>
        )
      }
    >
      <Panel isFlush>
        <KeyList onAction={act} />
      </Panel>
      {dialogs}
    </Page>
  );
}

/** The keys of the workspace in the URL, or of all. */
function KeyList({ onAction }: Pick<ComponentProps<typeof KeyTable>, 'onAction'>) {
  const { value, change } = useUrlParams();
  const { workspaces } = useSession().account;
  const chosen = workspaces.find(({ id }) => id === value('workspace'))?.id;
  const others = workspaces.filter(({ is_default }) => !is_default).map(({ id }) => id);
  const source = useKeyRows(
    { include_disabled: ['all', 'disabled'].includes(value('status')) },
    // The undefined one has the management keys, too.
    chosen === undefined ? [undefined, ...others] : [chosen],
  );
  return (
    <KeyTable
      source={source}
      search={{ label: 'Search keys', placeholder: 'Search by name, owner or preset', maxLength: 200 }}
      filters={
        <SelectField
          label="Workspace"
          isLabelHidden
          value={chosen ?? ''}
          options={[['', 'All workspaces'], ...workspaces.map(({ id, name }) => [id, name] as const)]}
          onChange={(next) => change({ workspace: next })}
        />
      }
      facets={facets}
      empty={
        <EmptyState title="No keys">
          <p>There are no keys here, or only disabled ones.</p>
        </EmptyState>
      }
      onAction={onAction}
    />
  );
}

/** Disabled keys pile up, so they are shown only on request. */
const facets: readonly Facet<Key>[] = [
  {
    id: 'status',
    label: 'Status',
    options: [
      ['', 'Active and expired'],
      ['active', 'Active'],
      ['expired', 'Expired'],
      ['disabled', 'Disabled'],
      ['all', 'All statuses'],
    ],
    matches: (key, value) => value === 'all' || keyState(key, Date.now()) === value,
  },
  {
    id: 'kind',
    label: 'Kind',
    options: [
      ['', 'All kinds'],
      ['api', 'API keys'],
      ['management', 'Management keys'],
    ],
    matches: ({ kind }, value) => kind === value,
  },
];
