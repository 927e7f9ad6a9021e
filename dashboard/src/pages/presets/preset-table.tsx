import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { PresetSummary } from '../../../../src/api/presets.ts';
import { Badge, StatusBadge } from '../../components/badge.tsx';
import { TagChip } from '../../components/chip.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { formatNumber } from '../../components/text.ts';
import { Time } from '../../components/time.tsx';
import { presetPath } from '../preset/preset-links.ts';
import styles from './presets.module.css';

interface PresetTableProps {
  readonly presets: readonly PresetSummary[];
  readonly isStale: boolean;
  /** The list of presets that also have this tag. */
  readonly tagHref: TagHref;
}

type TagHref = (tag: string) => string;

/** One row per preset. On wide screens rows take a single line each. */
export function PresetTable({ presets, isStale, tagHref }: PresetTableProps) {
  // Many teams use no tags; the other columns then keep the space.
  const hasTags = presets.some(({ tags }) => tags.length > 0);
  return (
    <Table
      label="Presets"
      columns={hasTags ? columns.toSpliced(tagIndex, 0, tagColumn(tagHref)) : columns}
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
      <Link href={presetPath(slug)} className="strong" title={name}>
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

/** After the labels. */
const tagIndex = columns.findIndex(({ title }) => title === 'Labels') + 1;

function tagColumn(tagHref: TagHref): Column<PresetSummary> {
  return {
    title: 'Tags',
    className: styles.tagColumn,
    cell: ({ tags }) => <Chips texts={tags} render={(tag) => <TagChip tag={tag} href={tagHref(tag)} />} />,
  };
}

/** The tooltip has the whole text, which the column may cut off. */
function Value({ text, className }: { readonly text: string | null; readonly className: string }) {
  if (text === null) return null;
  return (
    <span className={className} title={text}>
      {text}
    </span>
  );
}

function Labels({ labels }: Pick<PresetSummary, 'labels'>) {
  const texts = Object.entries(labels).map(([label, version]) => `${label} ${version}`);
  return <Chips texts={texts} render={(text) => <Badge tone="accent">{text}</Badge>} />;
}

interface ChipsProps {
  readonly texts: readonly string[];
  readonly render: (text: string) => ReactNode;
}

/** How many a single-line row shows; the style sheet hides the rest. */
const shownInLine = 2;
/** A preset may have a hundred labels. */
const shownMax = 8;

/** The first labels or tags, and the number of the others. */
function Chips({ texts, render }: ChipsProps) {
  if (texts.length === 0) return null;
  const clipped = texts.slice(shownInLine);
  return (
    <span className={styles.chips}>
      {texts.slice(0, shownMax).map((text) => (
        <span key={text} className={styles.chip} title={text}>
          {render(text)}
        </span>
      ))}
      {texts.length > shownMax && <span className="muted">and {texts.length - shownMax} more</span>}
      {clipped.length > 0 && (
        <span className={styles.clipped} title={clipped.join(', ')}>
          +{clipped.length}
          <span className="visually-hidden"> more: {clipped.join(', ')}</span>
        </span>
      )}
    </span>
  );
}
