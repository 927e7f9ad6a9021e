import { Link } from 'wouter';
import type { PresetSummary } from '../../../src/client/preset-answers.ts';
import { pathOf } from '../api/api.ts';
import { Badge, StatusBadge } from '../parts/badge.tsx';
import { type Column, Table } from '../parts/table.tsx';
import { Time } from '../parts/time.tsx';
import styles from './preset-table.module.css';

interface PresetTableProps {
  readonly presets: readonly PresetSummary[];
  readonly isStale: boolean;
}

export function PresetTable({ presets, isStale }: PresetTableProps) {
  return (
    <Table label="Presets" columns={columns} rows={presets} keyOf={({ slug }) => slug} isStale={isStale} />
  );
}

const columns: readonly Column<PresetSummary>[] = [
  {
    title: 'Name',
    cell: ({ slug, name }) => (
      <Link href={pathOf('presets', slug)} className={styles.name}>
        {name}
      </Link>
    ),
  },
  { title: 'Slug', cell: ({ slug }) => <span className="mono">{slug}</span> },
  { title: 'Model', cell: ({ model }) => <span className="mono">{model}</span> },
  { title: 'Status', cell: ({ status }) => <StatusBadge status={status} /> },
  { title: 'Labels', cell: ({ labels }) => <Labels labels={labels} /> },
  {
    title: 'Versions',
    isNumber: true,
    cell: ({ latest_version, designated_version_number }) => (
      <>
        {latest_version.toLocaleString('en-US')}
        {designated_version_number !== latest_version && (
          <span className="muted"> (live: {designated_version_number})</span>
        )}
      </>
    ),
  },
  {
    title: 'Changed',
    cell: ({ updated_at, updated_by_email }) => (
      <span className={styles.changed}>
        <Time at={updated_at} />
        <span className="muted">{updated_by_email}</span>
      </span>
    ),
  },
];

const labelsMax = 4;

function Labels({ labels }: Pick<PresetSummary, 'labels'>) {
  const all = Object.entries(labels);
  if (all.length === 0) return null;
  return (
    <span className={styles.labels}>
      {all.slice(0, labelsMax).map(([label, version]) => (
        <Badge key={label} tone="accent">
          {label} {version}
        </Badge>
      ))}
      {all.length > labelsMax && <span className="muted">and {all.length - labelsMax} more</span>}
    </span>
  );
}
