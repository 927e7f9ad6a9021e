import type { Preset } from '../../../src/client/preset-answers.ts';
import styles from './changed-fields.module.css';

interface ChangedFieldsProps {
  readonly before: Preset;
  readonly now: Preset;
}

const fields = ['name', 'description', 'status'] as const;

/** Name, description and status of a preset, as far as they differ from what the user saw. */
export function ChangedFields({ before, now }: ChangedFieldsProps) {
  const changed = fields.filter((field) => before[field] !== now[field]);
  if (changed.length === 0) return null;
  return (
    <table className={styles.table} aria-label="Changed fields">
      <thead>
        <tr>
          <th scope="col">
            <span className="visually-hidden">Field</span>
          </th>
          <th scope="col">Before</th>
          <th scope="col">Now</th>
        </tr>
      </thead>
      <tbody>
        {changed.map((field) => (
          <tr key={field}>
            <th scope="row">{titles[field]}</th>
            <td className={styles.before}>{before[field] ?? 'none'}</td>
            <td className={styles.now}>{now[field] ?? 'none'}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const titles = { name: 'Name', description: 'Description', status: 'Status' } as const;
