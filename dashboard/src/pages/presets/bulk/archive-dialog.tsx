import type { PresetSummary } from '../../../../../src/api/presets.ts';
import { Notice } from '../../../components/notice.tsx';
import { formatCount } from '../../../components/text.ts';
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
  const { archived, disabled, labelled, labels, aliases } = archiveImpact(presets);
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
        {(labelled.length > 0 || aliases.length > 0) && (
          <Notice kind="warning" title="Callers may use these names">
            <ul>
              {labelled.length > 0 && (
                <li>
                  {formatCount(labelled.length, 'preset has', 'presets have')} labels: {listSome(labels, 5)}
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
