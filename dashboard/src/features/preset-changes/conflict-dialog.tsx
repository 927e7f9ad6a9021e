import { useQuery } from '@tanstack/react-query';
import type { PresetEvent } from '../../../../src/api/events.ts';
import type { Preset } from '../../../../src/api/presets.ts';
import type { Api } from '../../api/api.ts';
import { fetchPreset, type PresetSnapshot } from '../../api/presets.ts';
import { useSession } from '../../api/session.ts';
import { Button } from '../../components/button.tsx';
import { Dialog, DialogBody } from '../../components/dialog.tsx';
import { Notice } from '../../components/notice.tsx';
import { Pending } from '../../components/pending.tsx';
import { VersionComparison } from '../comparison/version-diff.tsx';
import { EventList } from '../events/event-list.tsx';
import styles from './preset-changes.module.css';

interface ConflictDialogProps {
  readonly slug: string;
  /** The preset as the user saw it. */
  readonly before: PresetSnapshot;
  /** Receives the latest state, if it was loaded. */
  readonly onClose: (now?: PresetSnapshot) => void;
  /** Repeats the change against the state that this dialog shows. */
  readonly onRetry?: (now: PresetSnapshot) => void;
  /** Says where closing leads; by default to the latest state. */
  readonly closeLabel?: string;
}

/**
 * Shown when the server returns 412: what others changed since the user loaded the preset. The user
 * can repeat their change on top of it, or drop it; nothing is ever overwritten unseen.
 */
export function ConflictDialog(props: ConflictDialogProps) {
  const { slug, before, onClose, onRetry, closeLabel = 'Show latest' } = props;
  const query = useConflict(slug, before);
  const { data } = query;
  return (
    <Dialog title="Changed by someone else" onClose={() => onClose(data?.now)} isWide>
      <DialogBody
        footer={
          <>
            {onRetry && (
              <Button disabled={data === undefined} onClick={() => data && onRetry(data.now)}>
                Apply anyway
              </Button>
            )}
            <Button variant="primary" onClick={() => onClose(data?.now)}>
              {closeLabel}
            </Button>
          </>
        }
      >
        <Notice kind="warning" title="Someone else changed this preset after you opened it">
          Your change was not saved.
        </Notice>
        {query.error || data === undefined ? (
          <Pending query={query} title="Could not load the changes" label="Loading changes" />
        ) : (
          <Difference slug={slug} before={before} conflict={data} />
        )}
      </DialogBody>
    </Dialog>
  );
}

interface DifferenceProps {
  readonly slug: string;
  readonly before: PresetSnapshot;
  readonly conflict: Conflict;
}

/**
 * Events, changed fields and a diff of the live versions, each only if there is something to show.
 */
function Difference({ slug, before, conflict }: DifferenceProps) {
  const [from, to] = [before.preset.designated_version, conflict.now.preset.designated_version];
  return (
    <>
      {conflict.events.length > 0 && (
        <section className="stack-2">
          <h3>Changes</h3>
          <EventList slug={slug} events={conflict.events} />
        </section>
      )}
      <ChangedFields before={before.preset} now={conflict.now.preset} />
      {from.version !== to.version && (
        <section className="stack-2">
          <h3>
            Live version {from.version} → {to.version}
          </h3>
          <VersionComparison slug={slug} from={from.version} to={to.version} />
        </section>
      )}
    </>
  );
}

interface ChangedFieldsProps {
  readonly before: Preset;
  readonly now: Preset;
}

const fields = ['name', 'slug', 'description', 'status'] as const;

/** The name, slug, description and status of a preset that differ from what the user saw. */
function ChangedFields({ before, now }: ChangedFieldsProps) {
  const changed = fields.filter((field) => before[field] !== now[field]);
  if (changed.length === 0) return null;
  return (
    <table className={styles.table} aria-label="Changed fields">
      <thead>
        <tr>
          <th scope="col">
            <span className="visually-hidden">Field</span>
          </th>
          <th scope="col">Before</th>
          <th scope="col">Now</th>
        </tr>
      </thead>
      <tbody>
        {changed.map((field) => (
          <tr key={field}>
            <th scope="row">{titles[field]}</th>
            <td className={styles.before}>{before[field] ?? 'none'}</td>
            <td className={styles.now}>{now[field] ?? 'none'}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const titles = { name: 'Name', slug: 'Slug', description: 'Description', status: 'Status' } as const;

interface Conflict {
  readonly now: PresetSnapshot;
  readonly events: readonly PresetEvent[];
}

/** Another worker process may serve the previous state from its cache for up to a second. */
const readsMax = 4;
const pollIntervalMs = 500;

/**
 * Loads what changed since `before`. Polls a few times while the server still returns that state.
 */
function useConflict(slug: string, before: PresetSnapshot) {
  const { api, workspaceId } = useSession();
  return useQuery<Conflict>({
    queryKey: ['presets', workspaceId, 'conflict', slug, before.etag],
    gcTime: 0,
    staleTime: 0,
    // "Apply anyway" applies to exactly what is on screen, so do not refetch behind it.
    refetchOnWindowFocus: false,
    refetchInterval: ({ state }) =>
      state.data?.now.etag === before.etag && state.dataUpdateCount < readsMax ? pollIntervalMs : false,
    queryFn: async ({ signal }) => {
      const now = await fetchPreset(api, workspaceId, slug, signal);
      const events = await fetchEvents(api, workspaceId, slug, signal);
      return { now, events: eventsSince(before.preset.updated_at, events) };
    },
  });
}

/** The latest events; more than 20 concurrent changes would not be readable anyway. */
async function fetchEvents(api: Api, workspaceId: string | undefined, slug: string, signal: AbortSignal) {
  const query = { workspace_id: workspaceId, limit: 20 };
  return (await api.call('GET /presets/:slug/events', { params: { slug }, query }, { signal })).content.data;
}

/**
 * The events after a snapshot was taken, newest first. Timestamps have milliseconds, so an event of
 * the same millisecond may be newer than the snapshot; those are returned only if none is later.
 */
export function eventsSince<Event extends Pick<PresetEvent, 'created_at'>>(
  updatedAt: string,
  events: readonly Event[],
): readonly Event[] {
  const snapshotAt = Date.parse(updatedAt);
  const later = events.filter(({ created_at }) => Date.parse(created_at) > snapshotAt);
  if (later.length > 0) return later;
  return events.filter(({ created_at }) => Date.parse(created_at) === snapshotAt);
}
