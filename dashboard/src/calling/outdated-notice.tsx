import type { Dialect } from '../../../src/core/preset.ts';
import { dialectNames } from '../api/dialects.ts';
import { Notice } from '../parts/notice.tsx';
import type { Run } from './run.ts';

interface OutdatedNoticeProps {
  readonly run: Run;
  /** What is chosen on the page now. */
  readonly version: number | undefined;
  readonly dialect: Dialect;
}

/** Says what an answer came from, where that is not what the page has selected any more. */
export function OutdatedNotice({ run, version, dialect }: OutdatedNoticeProps) {
  const from = versionOf(run);
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

/** As the server says: a label or the live version may have moved since the page loaded. */
function versionOf({ preset, effective, request }: Run): number | undefined {
  const applied = /@(\d+)$/.exec(preset ?? effective?.preset ?? '')?.[1];
  return applied === undefined ? request.version : Number(applied);
}
