import { useQuery } from '@tanstack/react-query';
import type { PresetSummary } from '../../../../../src/api/presets.ts';
import { fetchLastCall, wasCalledInLastHour } from '../../../api/last-call.ts';
import { runBulk } from '../../../api/run-bulk.ts';
import { useSession } from '../../../api/session.ts';
import { Notice } from '../../../components/notice.tsx';
import { formatCount, formatNumber } from '../../../components/text.ts';
import { archiveImpact, listSome } from './archive-impact.ts';
import { archivePreset, restorePreset } from './bulk-changes.ts';
import { BulkDialog } from './bulk-dialog.tsx';
import { useBulkRun } from './use-bulk-run.ts';

interface DialogProps {
  /** The presets when the dialog was opened. */
  readonly presets: readonly PresetSummary[];
  readonly onCancel: () => void;
  readonly onDone: () => void;
}

/** Archives presets, after saying what will stop working. */
export function ArchiveDialog({ presets, onCancel, onDone }: DialogProps) {
  const run = useBulkRun(onDone);
  const { archived, disabled, labeled, labels, aliases } = archiveImpact(presets);
  const count = formatCount(archived.length, 'preset', 'presets');
  return (
    <BulkDialog
      title={`Archive ${count}`}
      run={run}
      submitLabel="Archive"
      submitVariant="danger"
      canSubmit={archived.length > 0}
      onSubmit={() =>
        void run.start(archived, {
          change: archivePreset,
          verb: 'Archived',
          undo: restorePreset,
          undoVerb: 'Restored',
        })
      }
      onCancel={onCancel}
    >
      <div className="stack">
        {archived.length > 0 && (
          <p>
            <strong>
              {listSome(
                archived.map(({ name }) => name),
                5,
              )}
            </strong>{' '}
            {archived.length === 1 ? 'disappears' : 'disappear'} from the list, and calls to{' '}
            {archived.length === 1 ? 'it' : 'them'} fail. Slugs and history are kept, and you can restore{' '}
            {archived.length === 1 ? 'it' : 'them'}.
          </p>
        )}
        {(labeled.length > 0 || aliases.length > 0) && (
          <Notice kind="warning" title="Callers may use these names">
            <ul>
              {labeled.length > 0 && (
                <li>
                  {formatCount(labeled.length, 'preset has', 'presets have')} labels: {listSome(labels, 5)}
                </li>
              )}
              {aliases.length > 0 && (
                <li>
                  {formatCount(aliases.length, 'alias stops', 'aliases stop')} working: {listSome(aliases, 5)}
                </li>
              )}
            </ul>
          </Notice>
        )}
        <LastCalls presets={archived} />
        {disabled.length > 0 && (
          <p className="note">
            {formatCount(disabled.length, 'disabled preset is', 'disabled presets are')} skipped; enable{' '}
            {disabled.length === 1 ? 'it' : 'them'} first: {listSome(disabled.map(({ name }) => name))}.
          </p>
        )}
      </div>
    </BulkDialog>
  );
}

/** Each is a request of its own. */
const checkedMax = 100;

/** The presets that somebody is likely to miss. */
function LastCalls({ presets }: { readonly presets: readonly PresetSummary[] }) {
  const { api, workspaceId } = useSession();
  const checked = presets.slice(0, checkedMax);
  const { data: outcomes } = useQuery({
    queryKey: ['last-call', workspaceId, checked.map(({ slug }) => slug)],
    staleTime: 0,
    gcTime: 0,
    queryFn: ({ signal }) =>
      runBulk({
        items: checked,
        work: ({ slug }) => fetchLastCall(api, workspaceId, slug, signal),
        signal,
      }),
  });
  if (presets.length === 0) return null;
  if (outcomes === undefined) return <p className="note">Loading the last calls…</p>;
  const now = Date.now();
  const usages = outcomes.flatMap((outcome) => ('result' in outcome ? [outcome] : []));
  const called = usages.filter(({ result }) => wasCalledInLastHour(result, now));
  const known = usages.length;
  return (
    <>
      {called.length > 0 && (
        <Notice kind="warning" title="In use">
          {formatCount(called.length, 'preset was', 'presets were')} called in the last hour:{' '}
          {listSome(
            called.map(({ item }) => item.name),
            5,
          )}
          .
        </Notice>
      )}
      {known < presets.length && (
        <p className="note">
          Could not check the last call of {formatNumber(presets.length - known)} of{' '}
          {formatCount(presets.length, 'preset', 'presets')}.
        </p>
      )}
      {called.length === 0 && known === presets.length && (
        <p className="note">{known === 1 ? 'It was not' : 'None was'} called in the last hour.</p>
      )}
    </>
  );
}
