import { useWorkspaceOptions } from '../../api/organization.ts';
import { CheckboxField } from '../../ui/checkbox-field.tsx';
import { SelectField } from '../../ui/select-field.tsx';
import { useUrlParams } from '../../ui/use-url-params.ts';
import styles from '../organization.module.css';

/** Without a workspace the API returns the keys of the default one and all management keys. */
export function KeyFilters() {
  const { value, change } = useUrlParams();
  const { data: workspaces = [] } = useWorkspaceOptions();
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
