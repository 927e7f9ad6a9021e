import type { Generation } from '../../../../src/api/generations.ts';
import { formatDuration } from '../../../../src/core/ledger/metric-text.ts';
import { ownTimeText, timingParts } from './call-texts.ts';
import styles from './calls.module.css';

/** Where the time of a call went, as a bar and in words. */
export function TimingBar({ presetd }: { readonly presetd: Generation['presetd'] }) {
  const { total_ms: total, presetd_ms: own, first_token_ms: firstToken } = presetd;
  return (
    <>
      <div className={styles.bar} aria-hidden="true">
        {timingParts(presetd).map(({ kind, share }) => (
          <span key={kind} className={styles[kind]} style={{ width: `${share * 100}%` }} />
        ))}
      </div>
      <ul className={styles.times}>
        <li>
          <span className={styles.own} /> presetd {ownTimeText(own)}
        </li>
        {firstToken !== null && (
          <li>
            <span className={styles.waiting} /> First token after {formatDuration(firstToken)}
          </li>
        )}
        <li>
          <span className={firstToken === null ? styles.waiting : styles.rest} /> Complete after{' '}
          {formatDuration(total)}
        </li>
      </ul>
    </>
  );
}
