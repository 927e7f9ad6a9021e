import { Link } from 'wouter';
import type { PresetSummary } from '../../../../src/api/presets.ts';
import { Badge, StatusBadge } from '../../components/badge.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { formatNumber } from '../../components/text.ts';
import { Time } from '../../components/time.tsx';
import styles from './presets.module.css';

interface PresetTableProps {
  readonly presets: readonly PresetSummary[];
  readonly isStale: boolean;
}

/** One row per preset. On wide screens rows take a single line each. */
export function PresetTable({ presets, isStale }: PresetTableProps) {
  return (
    <Table
      label="Presets"
      columns={columns}
      rows={presets}
      keyOf={({ slug }) => slug}
      isStale={isStale}
      hasSingleLineRows
    />
  );
}

const columns: readonly Column<PresetSummary>[] = [
  {
    title: 'Name',
    className: styles.nameColumn,
    cell: ({ slug, name }) => (
      <Link href={`/presets/${encodeURIComponent(slug)}`} className="strong" title={name}>
        {name}
      </Link>
    ),
  },
  { title: 'Slug', className: styles.slug, cell: ({ slug }) => <Value text={slug} className="mono" /> },
  { title: 'Model', className: styles.model, cell: ({ model }) => <Value text={model} className="mono" /> },
  { title: 'Status', className: styles.status, cell: ({ status }) => <StatusBadge status={status} /> },
  { title: 'Labels', className: styles.labelColumn, cell: ({ labels }) => <Labels labels={labels} /> },
  {
    title: 'Versions',
    isNumber: true,
    className: styles.versions,
    cell: ({ latest_version, designated_version_number }) => (
      <span>
        {formatNumber(latest_version)}
        {designated_version_number !== latest_version && (
          <span className="muted"> (live: {designated_version_number})</span>
        )}
      </span>
    ),
  },
  { title: 'Updated', className: styles.changed, cell: ({ updated_at }) => <Time at={updated_at} /> },
  {
    title: 'Updated by',
    cell: ({ updated_by_email }) => <Value text={updated_by_email} className="muted" />,
  },
];

/** The tooltip has the whole text, which the column may cut off. */
function Value({ text, className }: { readonly text: string | null; readonly className: string }) {
  if (text === null) return null;
  return (
    <span className={className} title={text}>
      {text}
    </span>
  );
}

/** How many labels a single-line row shows; the style sheet hides the rest. */
const labelsInLine = 2;
/** A preset may have a hundred labels. */
const labelsMax = 8;

function Labels({ labels }: Pick<PresetSummary, 'labels'>) {
  const texts = Object.entries(labels).map(([label, version]) => `${label} ${version}`);
  if (texts.length === 0) return null;
  const clipped = texts.slice(labelsInLine);
  return (
    <span className={styles.labels}>
      {texts.slice(0, labelsMax).map((text) => (
        <span key={text} className={styles.label} title={text}>
          <Badge tone="accent">{text}</Badge>
        </span>
      ))}
      {texts.length > labelsMax && <span className="muted">and {texts.length - labelsMax} more</span>}
      {clipped.length > 0 && (
        <span className={styles.clipped} title={clipped.join(', ')}>
          +{clipped.length}
          <span className="visually-hidden"> more: {clipped.join(', ')}</span>
        </span>
      )}
    </span>
  );
}
