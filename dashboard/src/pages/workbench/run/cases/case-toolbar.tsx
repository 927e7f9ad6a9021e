import type { ReactNode } from 'react';
import { Button } from '../../../../components/button.tsx';
import { useStore } from '../../../../components/store.ts';
import { formatNumber } from '../../../../components/text.ts';
import type { Column } from '../../../../features/runs/run-state.ts';
import { useRunCommand } from '../../workbench-commands.ts';
import type { RunResult } from '../run-result.ts';
import styles from './all-cases.module.css';
import { type AllCasesRun, cellKey } from './all-cases-run.ts';
import type { CaseInputs } from './case-inputs.ts';
import { sizeOf } from './run-estimate.ts';

interface CaseToolbarProps {
  readonly allCases: AllCasesRun;
  /** The cases to run. */
  readonly cases: readonly CaseInputs[];
  readonly columns: readonly Column[];
  readonly runLabel: string;
  readonly isReady: boolean;
  /** Runs the cells that it accepts. */
  readonly onRun: (isWanted: (cell: RunResult | undefined) => boolean) => void;
  readonly children: ReactNode;
}

/** Starts and stops runs. Its second line says how far they are, without moving the table below. */
export function CaseToolbar(props: CaseToolbarProps) {
  const { allCases, cases, columns, runLabel, onRun, children } = props;
  const state = useStore(allCases.state, (all) => all);
  const { isRunning, ended, total } = state;
  const isDisabled = !isRunning && (!props.isReady || cases.length === 0);
  const act = () => (isRunning ? allCases.stop() : onRun(() => true));
  useRunCommand({ isDisabled, run: act });
  const cells = cases.flatMap(({ name }) => columns.map(({ id }) => state.cells.get(cellKey(name, id))));
  const failed = cells.filter(hasFailed).length;
  return (
    <>
      <div className={styles.toolbar}>
        <Button
          className={styles.run}
          variant={isRunning ? 'plain' : 'primary'}
          disabled={isDisabled}
          onClick={act}
        >
          {isRunning ? 'Stop' : runLabel}
        </Button>
        {children}
      </div>
      <div className={styles.status}>
        {isRunning ? (
          <Progress ended={ended} total={total} failed={failed} />
        ) : (
          <Rest {...props} cells={cells} failed={failed} />
        )}
        {/* Announced once at the end, not at every step. */}
        <span role="status" className="visually-hidden">
          {!isRunning && total > 0 && `${ended} of ${total} runs finished, ${failed} failed`}
        </span>
      </div>
    </>
  );
}

interface ProgressProps {
  readonly ended: number;
  readonly total: number;
  readonly failed: number;
}

function Progress({ ended, total, failed }: ProgressProps) {
  return (
    <>
      <progress className={styles.progress} aria-label="Progress" max={total} value={ended} />
      <span>
        {formatNumber(ended)} of {formatNumber(total)}
      </span>
      {failed > 0 && <span className={styles.failed}>{formatNumber(failed)} failed</span>}
    </>
  );
}

interface RestProps extends CaseToolbarProps {
  readonly cells: readonly (RunResult | undefined)[];
  readonly failed: number;
}

/** The cells left to run: those with an error, and those without a result once others have one. */
function Rest({ cells, failed, cases, columns, isReady, onRun }: RestProps) {
  const remaining = cells.filter(isUnanswered).length;
  return (
    <>
      <span className={styles.size}>{sizeOf(cases.length, columns.length)}</span>
      {failed > 0 && (
        <Button isSmall onClick={() => onRun(hasFailed)} disabled={!isReady}>
          Retry {formatNumber(failed)} failed
        </Button>
      )}
      {remaining > 0 && remaining < cells.length && (
        <Button isSmall onClick={() => onRun(isUnanswered)} disabled={!isReady}>
          Run {formatNumber(remaining)} remaining
        </Button>
      )}
    </>
  );
}

function hasFailed(cell: RunResult | undefined): boolean {
  return cell?.phase === 'failed';
}

/** Also those that were stopped. */
function isUnanswered(cell: RunResult | undefined): boolean {
  return cell?.phase !== 'done' && cell?.phase !== 'failed';
}
