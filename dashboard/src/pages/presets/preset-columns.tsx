import { Star } from 'lucide-react';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { PresetSummary } from '../../../../src/api/presets.ts';
import { Badge, StatusBadge } from '../../components/badge.tsx';
import { TagChip } from '../../components/chip.tsx';
import { classNames } from '../../components/class-names.ts';
import type { Column } from '../../components/data-table/column.ts';
import { presetPath } from '../../components/preset-links.ts';
import { Time } from '../../components/time.tsx';
import { type CallsByPreset, CallsCell } from '../../features/version-usage/preset-calls.tsx';
import { ownerNameOf, ownerOf } from './preset-filter.ts';
import styles from './presets.module.css';
import { PromptMatch } from './prompt-match.tsx';
import { hiddenMatches } from './search-match.ts';

interface ColumnOptions {
  readonly isFavorite: (preset: PresetSummary) => boolean;
  readonly toggleFavorite: (preset: PresetSummary) => void;
  /** The search that found the presets. */
  readonly q: string;
  /** The list of presets that also have this tag. */
  readonly tagHref: (tag: string) => string;
  /** Undefined while they are loading. */
  readonly calls: CallsByPreset | undefined;
}

/** Rows take two lines at most, so that they fit in 44 pixels. */
export function presetColumns(options: ColumnOptions): readonly Column<PresetSummary>[] {
  const { isFavorite, toggleFavorite, q, tagHref, calls } = options;
  return [
    {
      id: 'name',
      title: 'Name',
      isFixed: true,
      value: ({ name }) => name,
      cell: (preset) => (
        <NameCell
          preset={preset}
          q={q}
          isFavorite={isFavorite(preset)}
          onToggle={() => toggleFavorite(preset)}
        />
      ),
    },
    {
      id: 'slug',
      title: 'Slug',
      isObvious: true,
      isHiddenByDefault: true,
      isSortable: false,
      value: ({ slug }) => slug,
      cell: ({ slug }) => <Clipped text={slug} className="mono" />,
    },
    {
      id: 'model',
      title: 'Model',
      isObvious: true,
      value: ({ model }) => model,
      cell: ({ model }) => model !== null && <Clipped text={model} />,
    },
    {
      id: 'live',
      title: 'Live version',
      isFit: true,
      isDescendingFirst: true,
      value: ({ designated_version_number }) => designated_version_number,
      cell: ({ designated_version_number, latest_version }) => (
        <span>
          {designated_version_number}
          {designated_version_number !== latest_version && (
            <span className="muted"> of {latest_version}</span>
          )}
        </span>
      ),
    },
    {
      id: 'labels',
      title: 'Labels',
      isObvious: true,
      isSortable: false,
      value: ({ labels }) => labelTexts(labels).join(', '),
      cell: ({ labels }) => (
        <Chips texts={labelTexts(labels)} render={(text) => <Badge tone="label">{text}</Badge>} />
      ),
    },
    {
      id: 'tags',
      title: 'Tags',
      isObvious: true,
      isSortable: false,
      value: ({ tags }) => tags.join(', '),
      cell: ({ tags }) => <Chips texts={tags} render={(tag) => <TagChip tag={tag} href={tagHref(tag)} />} />,
    },
    {
      id: 'status',
      title: 'Status',
      isObvious: true,
      isFit: true,
      isHiddenByDefault: true,
      isSortable: false,
      value: ({ status }) => status,
      cell: ({ status }) => <StatusBadge status={status} />,
    },
    {
      id: 'created',
      title: 'Created',
      isFit: true,
      isHiddenByDefault: true,
      isDescendingFirst: true,
      value: ({ created_at }) => created_at,
      cell: ({ created_at }) => <Time at={created_at} />,
    },
    {
      id: 'updated-by',
      title: 'Updated by',
      isHiddenByDefault: true,
      isSortable: false,
      value: ownerOf,
      cell: (preset) => <Clipped text={ownerNameOf(preset)} title={ownerOf(preset)} />,
    },
    {
      id: 'calls',
      title: 'Calls, 30 days',
      isObvious: true,
      isFit: true,
      isDescendingFirst: true,
      value: ({ id }) => calls?.get(id)?.total ?? (calls && 0),
      cell: (preset) => <CallsCell preset={preset} calls={calls} />,
    },
    {
      id: 'called',
      title: 'Last called',
      isFit: true,
      isHiddenByDefault: true,
      // The list is not sorted by the server, and calls do not refresh it.
      isSortable: false,
      value: ({ last_called_at }) => last_called_at,
      cell: ({ last_called_at: at }) => (at ? <Time at={at} /> : <span className="muted">Never</span>),
    },
    {
      id: 'updated',
      title: 'Updated',
      isObvious: true,
      isDescendingFirst: true,
      value: ({ updated_at }) => updated_at,
      cell: (preset) => (
        <span className={classNames(styles.lines, styles.updated)}>
          <Time at={preset.updated_at} />
          <Clipped text={ownerNameOf(preset)} title={ownerOf(preset)} className={styles.second} />
        </span>
      ),
    },
  ];
}

interface NameCellProps {
  readonly preset: PresetSummary;
  readonly q: string;
  readonly isFavorite: boolean;
  readonly onToggle: () => void;
}

/** The status shows only if it is unusual. */
function NameCell({ preset, q, isFavorite, onToggle }: NameCellProps) {
  const { slug, name, status } = preset;
  const words = hiddenMatches(q, preset);
  const second = <Clipped text={slug} className={classNames(styles.second, 'mono')} />;
  return (
    <span className={styles.name}>
      <button
        type="button"
        className={classNames(styles.star, isFavorite && styles.isFavorite)}
        aria-label={`Favorite ${name}`}
        aria-pressed={isFavorite}
        title={isFavorite ? 'Remove from favorites' : 'Add to favorites'}
        onClick={onToggle}
      >
        <Star aria-hidden="true" />
      </button>
      <span className={styles.lines}>
        <span className={styles.title}>
          <Link href={presetPath(slug)} className="strong" title={name} data-row-link>
            {name}
          </Link>
          {status !== 'active' && <StatusBadge status={status} />}
        </span>
        {words.length === 0 ? (
          second
        ) : (
          <PromptMatch slug={slug} words={words}>
            {second}
          </PromptMatch>
        )}
      </span>
    </span>
  );
}

interface ClippedProps {
  readonly text: string;
  readonly title?: string;
  readonly className?: string | undefined;
}

/** By default, the tooltip has the whole text, which the column may cut off. */
function Clipped({ text, title = text, className }: ClippedProps) {
  return (
    <span className={classNames(styles.clip, className)} title={title}>
      {text}
    </span>
  );
}

function labelTexts(labels: PresetSummary['labels']): readonly string[] {
  return Object.entries(labels).map(([label, version]) => `${label} ${version}`);
}

/** How many a row shows where there is room. A preset may have a hundred labels. */
const shownMax = 2;

interface ChipsProps {
  readonly texts: readonly string[];
  readonly render: (text: string) => ReactNode;
}

/** The first labels or tags, and the number of the others. Narrow columns show only one. */
function Chips({ texts, render }: ChipsProps) {
  if (texts.length === 0) return null;
  return (
    <span className={styles.chips}>
      {texts.slice(0, shownMax).map((text) => (
        <span key={text} className={styles.chip} title={text}>
          {render(text)}
        </span>
      ))}
      <Others texts={texts.slice(shownMax)} className={styles.inWide} />
      <Others texts={texts.slice(1)} className={styles.inNarrow} />
    </span>
  );
}

function Others({
  texts,
  className,
}: {
  readonly texts: readonly string[];
  readonly className: string | undefined;
}) {
  if (texts.length === 0) return null;
  return (
    <span className={classNames(styles.others, className)} title={texts.join(', ')}>
      +{texts.length}
      <span className="visually-hidden"> more: {texts.join(', ')}</span>
    </span>
  );
}
