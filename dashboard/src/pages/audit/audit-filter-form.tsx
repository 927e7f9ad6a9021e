import { ListFilter } from 'lucide-react';
import { useId, useState } from 'react';
import type { WorkspaceAccess } from '../../../../src/api/account.ts';
import { isEmail } from '../../../../src/core/organization/organization.ts';
import { Button } from '../../components/button.tsx';
import { classNames } from '../../components/class-names.ts';
import { SelectField, TextField } from '../../components/fields.tsx';
import { PersonPicker, type PickedPerson } from '../../features/organization/person-picker.tsx';
import styles from './audit.module.css';
import { type AuditFilter, kindOptions } from './audit-filter.ts';
import { PresetField } from './preset-field.tsx';

interface AuditFilterFormProps {
  readonly filter: AuditFilter;
  readonly workspaces: readonly WorkspaceAccess[];
  /** False if the user can only see one workspace at a time. */
  readonly seesAll: boolean;
  /** Name of the selected workspace if it is not in the list, such as a deleted one. */
  readonly otherWorkspaceName: string | undefined;
  readonly onChange: (changed: Partial<AuditFilter>) => void;
}

/**
 * A preset filter needs a workspace, since slugs are unique only within one. On a small screen, the
 * fields are behind a button, so that the first events are visible.
 */
export function AuditFilterForm(props: AuditFilterFormProps) {
  const { filter, workspaces, seesAll, otherWorkspaceName, onChange } = props;
  const hasWorkspaces = workspaces.length > 1 || filter.workspace !== '';
  const workspaceSlug = hasWorkspaces ? filter.workspace : workspaces[0]?.slug;
  const canChoosePreset = !hasWorkspaces || filter.workspace !== '';
  const [isOpen, setIsOpen] = useState(false);
  const formId = useId();
  const fields = Object.entries(filter).filter(
    ([name, value]) => value !== '' && (seesAll || name !== 'workspace'),
  );
  return (
    <>
      <div className={styles.toggle}>
        <Button aria-expanded={isOpen} aria-controls={formId} onClick={() => setIsOpen(!isOpen)}>
          <ListFilter aria-hidden="true" />
          Filters{fields.length > 0 && ` (${fields.length})`}
        </Button>
      </div>
      <form
        id={formId}
        className={classNames(styles.filters, !isOpen && styles.closed)}
        onSubmit={(event) => event.preventDefault()}
      >
        {hasWorkspaces && (
          <SelectField
            label="Workspace"
            value={filter.workspace}
            options={workspaceOptions(filter, workspaces, seesAll, otherWorkspaceName)}
            onChange={(workspace) => onChange(workspace === '' ? { workspace, preset: '' } : { workspace })}
          />
        )}
        <PresetField
          workspaceId={workspaces.find(({ slug }) => slug === workspaceSlug)?.id}
          value={filter.preset}
          onChange={(preset) => onChange({ preset })}
          isDisabled={!canChoosePreset}
        />
        <PersonPicker
          label="Actor"
          placeholder="Anyone"
          value={filter.actor === '' ? undefined : actorOf(filter.actor)}
          onChange={(person) => onChange({ actor: person?.email ?? '' })}
          others={otherActors}
          isOptional
        />
        <SelectField
          label="Event"
          value={kindOptions.find(([value]) => value === filter.kind)?.[0] ?? ''}
          options={kindOptions}
          onChange={(kind) => onChange({ kind })}
        />
        <TextField label="From" type="date" value={filter.since} onChange={(since) => onChange({ since })} />
        <TextField label="To" type="date" value={filter.until} onChange={(until) => onChange({ until })} />
      </form>
    </>
  );
}

/** An address or id of the URL; the API accepts both. */
function actorOf(actor: string): PickedPerson {
  return { id: actor, email: actor, first_name: '', last_name: '' };
}

/** Not everybody who acted is a member: some have left, and some events have no person. */
function otherActors(q: string): readonly PickedPerson[] {
  if (q === '') return ['operator', 'anonymous'].map(actorOf);
  return isEmail(q) ? [{ ...actorOf(q), first_name: 'Former member' }] : [];
}

function workspaceOptions(
  { workspace }: AuditFilter,
  workspaces: readonly WorkspaceAccess[],
  seesAll: boolean,
  otherWorkspaceName: string | undefined,
): readonly (readonly [value: string, text: string])[] {
  const options = [
    ...(seesAll ? [['', 'All workspaces'] as const] : []),
    ...workspaces.map(({ slug, name }) => [slug, name] as const),
  ];
  if (options.some(([slug]) => slug === workspace)) return options;
  // The selected workspace may have been deleted, or not be among the first hundred.
  return [...options, [workspace, otherWorkspaceName ?? workspace]];
}
