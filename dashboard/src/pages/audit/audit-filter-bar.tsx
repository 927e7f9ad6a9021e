import { useRef, useState } from 'react';
import type { WorkspaceAccess } from '../../../../src/api/account.ts';
import { useDirectory } from '../../api/organization.ts';
import { useSession } from '../../api/session.ts';
import styles from '../../components/filter-menu.module.css';
import { FilterChip, FilterMenu, type OpenFilter } from '../../components/filter-menu.tsx';
import { personText } from '../../features/organization/person-name.tsx';
import {
  type AuditFilter,
  type AuditFilterName,
  auditFilterLabels,
  auditFilterNames,
  kindOptions,
  workspaceOfPresets,
} from './audit-filter.ts';
import { useAuditValues } from './use-audit-values.ts';

interface AuditFilterBarProps {
  readonly filter: AuditFilter;
  readonly workspaces: readonly WorkspaceAccess[];
  /** False if the user can only see one workspace at a time. */
  readonly seesAll: boolean;
  /** Name of the selected workspace if it is not in the list, such as a deleted one. */
  readonly otherWorkspaceName: string | undefined;
  readonly onChange: (changed: Partial<AuditFilter>) => void;
}

/** The filters in the URL as chips, and a menu that adds one, as on the usage and calls pages. */
export function AuditFilterBar(props: AuditFilterBarProps) {
  const { filter, workspaces, seesAll, otherWorkspaceName, onChange } = props;
  const menu = useRef<HTMLButtonElement>(null);
  const [open, setOpen] = useState<OpenFilter<AuditFilterName>>();
  const { directory } = useDirectory();
  const { workspace } = useSession();
  const place = workspaceOfPresets(filter, workspaces, workspace);
  const { values, error } = useAuditValues(open, workspaces, place);
  const hasWorkspaces = workspaces.length > 1 || filter.workspace !== '';
  const textOf = (name: AuditFilterName, value: string): string => {
    if (name === 'actor') return personText(directory, value);
    if (name === 'kind') return kindOptions.find(([kind]) => kind === value)?.[1] ?? value;
    if (name !== 'workspace') return value;
    return workspaces.find(({ slug }) => slug === value)?.name ?? otherWorkspaceName ?? value;
  };
  return (
    <div className={styles.bar}>
      <FilterMenu
        button={menu}
        {...{ open, values, error }}
        onOpen={setOpen}
        names={auditFilterNames.filter((name) => name !== 'workspace' || hasWorkspaces)}
        labelOf={(name) => auditFilterLabels[name]}
        empty={place === undefined ? 'Type a slug.' : `${place.name} has no presets.`}
        onChoose={(name, value) => {
          if (name === 'workspace') onChange({ workspace: value, preset: '' });
          // A slug names a preset of one workspace.
          else if (name === 'preset' && hasWorkspaces && filter.workspace === '')
            onChange({ workspace: place?.slug ?? '', preset: value });
          else onChange({ [name]: value });
        }}
      />
      {auditFilterNames
        .filter((name) => filter[name] !== '')
        .map((name) => (
          <FilterChip
            key={name}
            label={auditFilterLabels[name]}
            text={textOf(name, filter[name])}
            title={filter[name]}
            {...((name !== 'workspace' || seesAll) && {
              onRemove: () => {
                onChange(name === 'workspace' ? { workspace: '', preset: '' } : { [name]: '' });
                // The pressed button is gone.
                menu.current?.focus({ preventScroll: true });
              },
            })}
          />
        ))}
    </div>
  );
}
