import type { Dialect } from '../../../src/core/presets/preset.ts';
import { dialectNames } from '../api/dialects.ts';
import { Notice } from '../ui/notice.tsx';
import type { Run } from './run.ts';

interface OutdatedNoticeProps {
  readonly run: Run;
  /** The current selection on the page. */
  readonly version: number | undefined;
  readonly dialect: Dialect;
}

/** Labels a response whose version or format is no longer the one selected on the page. */
export function OutdatedNotice({ run, version, dialect }: OutdatedNoticeProps) {
  const from = appliedVersion(run);
  // Version and format are compared separately: either may be outdated.
  const origin: string[] = [];
  const selected: string[] = [];
  if (from !== undefined && from !== version) {
    origin.push(`From version ${from}`);
    if (version !== undefined) selected.push(`version ${version}`);
  }
  if (run.request.dialect !== dialect) {
    origin.push(`Sent as ${dialectNames[run.request.dialect]}`);
    selected.push(dialectNames[dialect]);
  }
  if (origin.length === 0) return null;
  return (
    <Notice kind="warning" title={origin.join(' · ')}>
      {selected.length > 0 && `Selected now: ${selected.join(', ')}. `}
      Send again to use the current selection.
    </Notice>
  );
}

/**
 * The version that the server applied: a label or the live version may have moved since the page
 * loaded.
 */
function appliedVersion({ preset, effective, request }: Run): number | undefined {
  const applied = /@(\d+)$/.exec(preset ?? effective?.preset ?? '')?.[1];
  return applied === undefined ? request.version : Number(applied);
}
