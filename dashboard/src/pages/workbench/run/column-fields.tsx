import { SelectField } from '../../../components/fields.tsx';
import { ModelField } from '../../../features/request/model-field.tsx';
import { type Column, parseSource } from '../../../features/runs/run-state.ts';
import type { Sources, Target } from './use-targets.ts';

interface ColumnFieldsProps {
  readonly target: Target;
  readonly sources: Sources;
  readonly onChange: (column: Column) => void;
}

/** Chooses what a column tries. */
export function ColumnFields({ target: { column, model }, sources, onChange }: ColumnFieldsProps) {
  return (
    <>
      <SelectField<string>
        label="Version"
        isLabelHidden
        value={String(column.source)}
        options={sources}
        onChange={(value) => onChange({ ...column, source: parseSource(value) })}
      />
      <ModelField
        label="Model"
        isLabelHidden
        value={column.model}
        placeholder={model ?? 'Model of the version'}
        onChange={(other = '') => onChange({ ...column, model: other })}
      />
    </>
  );
}
