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
import { useUrlParams } from '../../components/use-url-params.ts';
import { useAccess } from '../organization/access.tsx';
import { KeyTable, keyState } from './key-table.tsx';
import { useKeyDialogs } from './use-key-dialogs.tsx';

/** The keys of a workspace, as far as the user may see them. */
export function KeysPage() {
  const { isAdmin, canWrite, restriction } = useAccess();
  const { create, act, dialogs } = useKeyDialogs();
  return (
    <Page
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

/**
 * The keys of the workspace in the URL. Without one, the API returns those of the default workspace
 * and all management keys.
 */
function KeyList({ onAction }: Pick<ComponentProps<typeof KeyTable>, 'onAction'>) {
  const { value, change } = useUrlParams();
  const { workspaces } = useSession().account;
  const options = [
    [
      '',
      `${workspaces.find(({ is_default }) => is_default)?.name ?? 'Default'} and management keys`,
    ] as const,
    ...workspaces.filter(({ is_default }) => !is_default).map(({ id, name }) => [id, name] as const),
  ];
  const workspace = options.find(([id]) => id === value('workspace'))?.[0] ?? '';
  const source = useKeyRows({
    workspace_id: workspace || undefined,
    include_disabled: ['all', 'disabled'].includes(value('status')),
  });
  return (
    <KeyTable
      source={source}
      search={{ label: 'Search keys', placeholder: 'Search by name, owner or preset', maxLength: 200 }}
      filters={
        <SelectField
          label="Workspace"
          isLabelHidden
          value={workspace}
          options={options}
          onChange={(next) => change({ workspace: next })}
        />
      }
      facets={facets}
      empty={
        <EmptyState title="No keys">
          <p>This workspace has no keys, or only disabled ones.</p>
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
