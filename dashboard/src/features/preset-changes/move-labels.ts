import type { PresetLabel } from '../../../../src/api/labels.ts';
import { isStatus } from '../../api/api-error.ts';
import { messageOf } from '../../components/notice.tsx';

/** A label on a version. */
export type PlacedLabel = Pick<PresetLabel, 'label' | 'version'>;

export interface LabelMove {
  readonly label: string;
  readonly from: number;
  readonly to: number;
}

export interface MovedLabels {
  readonly moved: readonly LabelMove[];
  /** Why the other labels did not move. */
  readonly problem: string | undefined;
}

interface LabelRequests {
  /** Returns all labels of the preset. */
  read(): Promise<readonly PlacedLabel[]>;
  /** Returns the new ETag. */
  move(move: LabelMove, etag: string): Promise<string>;
}

/**
 * Moves labels one after the other, since each move changes the ETag. Leaves those that are no
 * longer where the user saw them. It stops at the first failure and does not throw: the change that
 * the moves belong to is made already.
 */
export async function moveLabels(
  moves: readonly LabelMove[],
  start: string,
  { read, move }: LabelRequests,
): Promise<MovedLabels> {
  const moved: LabelMove[] = [];
  const rest = () =>
    moves
      .filter((one) => !moved.includes(one))
      .map(({ label }) => label)
      .join(', ');
  if (moves.length === 0) return { moved, problem: undefined };
  try {
    const current = await read();
    let etag = start;
    for (const one of moves) {
      if (!current.some(({ label, version }) => label === one.label && version === one.from)) continue;
      etag = await move(one, etag);
      moved.push(one);
    }
    const isComplete = moved.length === moves.length;
    return {
      moved,
      problem: isComplete ? undefined : `Did not move ${rest()}: changed by someone else`,
    };
  } catch (error) {
    return { moved, problem: `Could not move ${rest()}: ${reasonOf(error)}` };
  }
}

/** For changes that are conditional on the preset's ETag. */
export function reasonOf(error: unknown): string {
  return isStatus(error, 412) ? 'someone else changed the preset' : messageOf(error);
}
