import { useWorkspaceChoice } from '../../api/organization.ts';
import { CheckField } from '../../parts/check-field.tsx';
import { SelectField } from '../../parts/select-field.tsx';
import { useSearchValues } from '../../parts/use-search-values.ts';
import styles from '../organization.module.css';

export function KeyFilters() {
  const { value, change } = useSearchValues();
  const { data: workspaces = [] } = useWorkspaceChoice();
  const options = [
    [
      '',
      `${workspaces.find(({ is_default }) => is_default)?.name ?? 'Default'}, and management keys`,
    ] as const,
    ...workspaces.filter(({ is_default }) => !is_default).map(({ id, name }) => [id, name] as const),
  ];
  const chosen = value('workspace');
  return (
    <search className={styles.filters}>
      <SelectField
        label="Workspace"
        value={options.some(([id]) => id === chosen) ? chosen : ''}
        options={options}
        onChange={(workspace) => change({ workspace, offset: '' })}
      />
      <div className={styles.check}>
        <CheckField
          label="Include disabled keys"
          isChecked={value('disabled') !== ''}
          onChange={(isIncluded) => change({ disabled: isIncluded ? '1' : '', offset: '' })}
        />
      </div>
    </search>
  );
}
