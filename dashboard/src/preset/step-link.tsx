import { GitCompareArrows } from 'lucide-react';
import { Link } from 'wouter';
import { compareHref, type PresetPlace, type VersionStep } from './preset-links.ts';
import styles from './step-link.module.css';

/** Leads from an event to the difference that it made, such as "3 → 2" for a rollback. */
export function StepLink({ place, step }: { readonly place: PresetPlace; readonly step: VersionStep }) {
  return (
    <Link href={compareHref(place, step)} className={styles.step}>
      <GitCompareArrows aria-hidden="true" />
      Compare <span className="visually-hidden">versions </span>
      {step.from} → {step.to}
    </Link>
  );
}
