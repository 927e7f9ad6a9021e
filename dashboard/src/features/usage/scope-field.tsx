import type { UsageScope } from '../../api/usage.ts';
import { SelectField } from '../../components/fields.tsx';
import { useUrlParams } from '../../components/use-url-params.ts';

/** Whether an admin sees this workspace or the organization, including deleted workspaces. */
export function ScopeField({ scope }: { readonly scope: UsageScope & { readonly canSeeAll: boolean } }) {
  const { change } = useUrlParams();
  if (!scope.canSeeAll) return null;
  return (
    <SelectField
      label="Workspace"
      isLabelHidden
      value={scope.isOrganization ? 'all' : ''}
      options={[
        ['', 'This workspace'],
        ['all', 'All workspaces'],
      ]}
      onChange={(next) => change({ scope: next, workspace: '' })}
    />
  );
}
