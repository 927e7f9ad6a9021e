import { KeyRound } from 'lucide-react';
import type { ComponentProps } from 'react';
import { keysPerPage } from '../../../../src/api/limits.ts';
import { useKeys } from '../../api/organization.ts';
import { useSession } from '../../api/session.ts';
import { Button } from '../../components/button.tsx';
import { CheckboxField, SelectField } from '../../components/fields.tsx';
import { EmptyState } from '../../components/notice.tsx';
import { Page, Panel } from '../../components/page.tsx';
import { PagedList } from '../../components/paged-list.tsx';
import { useUrlParams } from '../../components/use-url-params.ts';
import { useAccess } from '../organization/access.tsx';
import styles from '../organization/organization.module.css';
import { KeyTable } from './key-table.tsx';
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
        <KeyFilters />
        <KeyList onAction={act} />
      </Panel>
      {dialogs}
    </Page>
  );
}

/** Without a workspace the API returns the keys of the default one and all management keys. */
function KeyFilters() {
  const { value, change } = useUrlParams();
  const { workspaces } = useSession().account;
  const options = [
    [
      '',
      `${workspaces.find(({ is_default }) => is_default)?.name ?? 'Default'} and management keys`,
    ] as const,
    ...workspaces.filter(({ is_default }) => !is_default).map(({ id, name }) => [id, name] as const),
  ];
  const selected = value('workspace');
  return (
    <search className={styles.filters}>
      <SelectField
        label="Workspace"
        value={options.some(([id]) => id === selected) ? selected : ''}
        options={options}
        onChange={(workspace) => change({ workspace, offset: '' })}
      />
      <div className={styles.check}>
        <CheckboxField
          label="Include disabled keys"
          isChecked={value('disabled') !== ''}
          onChange={(isIncluded) => change({ disabled: isIncluded ? '1' : '', offset: '' })}
        />
      </div>
    </search>
  );
}

function KeyList({ onAction }: Pick<ComponentProps<typeof KeyTable>, 'onAction'>) {
  const { value, offset } = useUrlParams();
  const query = useKeys({
    workspace_id: value('workspace') || undefined,
    include_disabled: value('disabled') !== '',
    offset,
  });
  const empty = (
    <EmptyState title="No keys">
      <p>This workspace has no keys, or only disabled ones.</p>
    </EmptyState>
  );
  return (
    <PagedList query={query} limit={keysPerPage} one="key" lines={6} empty={empty}>
      {(keys, isStale) => <KeyTable keys={keys} isStale={isStale} onAction={onAction} />}
    </PagedList>
  );
}
