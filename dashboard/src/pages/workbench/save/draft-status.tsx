import { Link } from 'wouter';
import { useSession } from '../../../api/session.ts';
import { Badge } from '../../../components/badge.tsx';
import { editPath } from '../../../components/preset-links.ts';
import { formatCount } from '../../../components/text.ts';
import type { DraftState } from '../../../features/drafts/draft-sender.ts';
import { useOtherDrafts } from '../../../features/drafts/server-draft.ts';
import type { Release } from '../../../features/preset-changes/undo-offers.ts';
import { usePresetActions } from '../../../features/preset-changes/use-preset-actions.ts';
import styles from '../workbench.module.css';
import { useWorkbench } from '../workbench.ts';

interface DraftStatusProps {
  readonly isChanged: boolean;
  readonly draftState: DraftState;
  /** The last save or release, if it can be undone. */
  readonly release: Release | undefined;
  /** Why the draft cannot be saved. */
  readonly problem: string | undefined;
  readonly onShowProblem: () => void;
  /** The differences to the live version. */
  readonly changes: readonly string[];
  readonly onCompare: () => void;
}

/** The draft or the version on screen, and what became of them. */
export function DraftStatus(props: DraftStatusProps) {
  const { isChanged, draftState, release } = props;
  const { base } = useWorkbench();
  return (
    <>
      {isChanged ? <ShownDraft {...props} /> : release?.version !== base && <ShownVersion />}
      {/* Always there, since screen readers skip a region that appears together with its text. */}
      <span role="status" aria-atomic="false" className={styles.state}>
        {isChanged && <span className="note">{describeDraftState(draftState)}</span>}
        {release && <span>{describeRelease(release)}</span>}
      </span>
    </>
  );
}

function ShownDraft({ draftState, problem, onShowProblem, changes, onCompare }: DraftStatusProps) {
  const { base } = useWorkbench();
  const { snapshot } = usePresetActions();
  const live = snapshot.preset.designated_version.version;
  return (
    <>
      <Badge tone="accent">Draft</Badge>
      <span className={styles.origin}>
        from version {base}
        {base !== live && `, compared with live version ${live}`}
      </span>
      {problem !== undefined ? (
        <button type="button" className={styles.problem} title={problem} onClick={onShowProblem}>
          {problem}
        </button>
      ) : (
        changes.length > 0 && (
          <button
            type="button"
            className={styles.changes}
            title={`Compare with version ${live}`}
            onClick={onCompare}
          >
            {changes.join(', ')}
          </button>
        )
      )}
      {problem === undefined && routineTexts.has(draftState.kind) && (
        <span className="note">{routineTexts.get(draftState.kind)}</span>
      )}
    </>
  );
}

/**
 * The version on screen, unless it is the live one, which the header names. A newer one may have
 * been saved and not released, which is easy to forget.
 */
function ShownVersion() {
  const { slug, base, canEdit } = useWorkbench();
  const { may, account, workspace } = useSession();
  const { snapshot } = usePresetActions();
  const { preset, latest } = snapshot;
  return (
    <span className={styles.shownVersion}>
      {base !== preset.designated_version.version && `Version ${base}, not live. `}
      {latest > base && (
        <>
          Version {latest} is newer: <Link href={editPath(slug, latest)}>open it</Link>.{' '}
        </>
      )}
      {!canEdit && readOnlyText(may('write'), account.credential.scope, workspace?.name)}
    </span>
  );
}

function readOnlyText(mayWrite: boolean, scope: string, workspace = 'this workspace'): string {
  // The page says that the preset is archived.
  if (mayWrite) return 'Read-only';
  return scope === 'write'
    ? `Read-only: you are a viewer of ${workspace}`
    : 'Read-only: this key cannot write';
}

/** Not announced: they change with every pause in typing. */
const routineTexts: ReadonlyMap<DraftState['kind'], string> = new Map([
  ['saved', 'Draft saved'],
  ['saving', 'Saving draft…'],
]);

function describeDraftState(state: DraftState): string | undefined {
  if (state.kind === 'failed') return state.message;
  if (state.kind === 'offline') return 'Offline. Draft kept in this tab';
  return undefined;
}

function describeRelease({ version, liveBefore }: Release): string {
  return liveBefore === undefined ? `Version ${version} saved, not live` : `Version ${version} is live`;
}

/** A colleague who has typed within this time counts as editing. */
const recentMs = 5 * 60_000;

/** Announces colleagues with a draft of the same preset, before the two conflict. */
export function OtherDrafts({ slug }: { readonly slug: string }) {
  const [first, ...others] = useOtherDrafts(slug);
  if (first === undefined) return null;
  const name = first.name ?? first.email;
  const isRecent = Date.now() - Date.parse(first.updated_at) < recentMs;
  return (
    <Badge tone={isRecent ? 'warning' : 'neutral'}>
      {isRecent ? `${name} is editing too` : `${name} has a draft`}
      {others.length > 0 && `, and ${formatCount(others.length, 'other', 'others')}`}
    </Badge>
  );
}
