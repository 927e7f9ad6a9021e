import { Ellipsis } from 'lucide-react';
import { Link, useLocation } from 'wouter';
import { useLabels, useTags, useVersion } from '../../api/presets.ts';
import { Badge } from '../../components/badge.tsx';
import { TagChip } from '../../components/chip.tsx';
import { classNames } from '../../components/class-names.ts';
import { useCommands } from '../../components/commands.ts';
import { CopyButton } from '../../components/copy-button.tsx';
import { Menu } from '../../components/menu.tsx';
import { presetPath, versionPath } from '../../components/preset-links.ts';
import { enable } from '../../features/preset-changes/preset-action.ts';
import { usePresetActions } from '../../features/preset-changes/use-preset-actions.ts';
import { usagePath } from '../../features/usage/usage-filter.ts';
import styles from './preset.module.css';
import { useDuplicate } from './use-duplicate.ts';

/**
 * Next to the name: what people look up or copy most. The history has the rest, and a notice says
 * what it means if the preset is not active.
 */
export function PresetHeaderSummary({ hasTags }: { readonly hasTags: boolean }) {
  const { name, slug, designated_version: live } = usePresetActions().snapshot.preset;
  return (
    <>
      <span className={styles.slug}>
        {name !== slug && <span className="mono">{slug}</span>}
        <CopyButton text={slug} what="slug" caption="" variant="quiet" />
      </span>
      <Link href={versionPath(slug, live.version)} className={styles.pointer}>
        <Badge tone="live">Live: version {live.version}</Badge>
      </Link>
      <LabelLinks />
      {hasTags && <TagLinks />}
    </>
  );
}

/** More would fill the line. */
const shownMax = 4;

/** Each leads to the version it is on. */
function LabelLinks() {
  const { slug, snapshot } = usePresetActions();
  const labels = useLabels(slug, snapshot.etag).data?.data ?? [];
  if (labels.length === 0) return null;
  return (
    <ul className={classNames(styles.chips, styles.inHeader)} aria-label="Labels">
      {labels.slice(0, shownMax).map(({ label, version }) => (
        <li key={label} className={styles.chipItem}>
          <Link href={versionPath(slug, version)} className={styles.pointer}>
            <Badge tone="label">
              {label}: {version}
            </Badge>
          </Link>
        </li>
      ))}
      <More count={labels.length - shownMax} what="labels" />
    </ul>
  );
}

/** Each tag links to its presets. */
function TagLinks() {
  const { slug, snapshot } = usePresetActions();
  const tags = useTags(slug, snapshot.etag).data?.data ?? [];
  if (tags.length === 0) return null;
  return (
    <ul className={styles.tagLinks} aria-label="Tags">
      {tags.slice(0, shownMax).map((tag) => (
        <li key={tag} className={styles.chipItem}>
          <TagChip tag={tag} href={`/presets?${new URLSearchParams({ tag })}`} />
        </li>
      ))}
      <More count={tags.length - shownMax} what="tags" />
    </ul>
  );
}

function More({ count, what }: { readonly count: number; readonly what: string }) {
  const { slug } = usePresetActions();
  if (count <= 0) return null;
  return (
    <li>
      <Link href={presetPath(slug, 'history')} className="note">
        {count} more<span className="visually-hidden"> {what}</span>
      </Link>
    </li>
  );
}

/** Rare actions, and those that break callers. */
export function PresetMenu() {
  const { snapshot, canRelease, openDialog, perform } = usePresetActions();
  const isDisabled = snapshot.preset.status === 'disabled';
  const { slug, designated_version } = snapshot.preset;
  const live = useVersion(slug, designated_version.version).data;
  const duplicate = useDuplicate();
  const [, navigate] = useLocation();
  const usage = usagePath('usage', { preset: slug });
  const items = [
    { text: 'View usage', onClick: () => navigate(usage) },
    { text: 'Rename and edit…', onClick: () => openDialog({ kind: 'edit' }) },
    { text: 'Add alias…', onClick: () => openDialog({ kind: 'add-alias' }) },
    live && { text: 'Duplicate', onClick: () => duplicate(live) },
    canRelease && isDisabled && { text: 'Enable', onClick: () => void perform(enable) },
    canRelease &&
      !isDisabled && { text: 'Disable…', isDangerous: true, onClick: () => openDialog({ kind: 'disable' }) },
    // The API requires that a disabled preset is enabled first.
    canRelease &&
      !isDisabled && { text: 'Archive…', isDangerous: true, onClick: () => openDialog({ kind: 'archive' }) },
  ];
  const earlier = designated_version.version - 1;
  useCommands([
    canRelease &&
      earlier > 0 && {
        title: 'Roll back one version',
        group: 'Preset',
        keywords: 'rollback revert undo make live',
        run: () => openDialog({ kind: 'make-live', version: earlier }),
      },
    ...items.map((item) => item && { title: item.text.replace('…', ''), group: 'Preset', run: item.onClick }),
  ]);
  return <Menu label="More actions" button={<Ellipsis aria-hidden="true" />} items={items} />;
}
