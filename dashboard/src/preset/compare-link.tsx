import { GitCompareArrows } from 'lucide-react';
import { Link } from 'wouter';
import styles from './compare-link.module.css';
import { compareHref, type EventFields, type PresetLocation, versionsChangedBy } from './preset-links.ts';

interface CompareLinkProps {
  readonly location: PresetLocation;
  readonly event: EventFields;
}

/**
 * Links an event to the diff it caused, such as "Compare 3 → 2" for a rollback. Renders nothing for
 * events that did not move the live version or a label.
 */
export function CompareLink({ location, event }: CompareLinkProps) {
  const pair = versionsChangedBy(event);
  if (pair === undefined) return null;
  return (
    <Link href={compareHref(location, pair)} className={styles.link}>
      <GitCompareArrows aria-hidden="true" />
      Compare <span className="visually-hidden">versions </span>
      {pair.from} → {pair.to}
    </Link>
  );
}
