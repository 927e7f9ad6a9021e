import { isStatus } from '../../api/api-error.ts';
import { messageOf } from '../../components/notice.tsx';

export interface MovedLabels {
  readonly moved: readonly string[];
  /** Of the preset after the last move. */
  readonly etag: string;
  /** Why the other labels did not move. */
  readonly problem: string | undefined;
}

/**
 * Moves labels one after the other, since each move changes the ETag. It stops at the first failure
 * and does not throw: the version that the labels move to exists already.
 */
export async function moveLabels(
  labels: readonly string[],
  start: string,
  /** Returns the new ETag. */
  move: (label: string, etag: string) => Promise<string>,
): Promise<MovedLabels> {
  const moved: string[] = [];
  let etag = start;
  try {
    for (const label of labels) {
      etag = await move(label, etag);
      moved.push(label);
    }
    return { moved, etag, problem: undefined };
  } catch (error) {
    const rest = labels.slice(moved.length).join(', ');
    return { moved, etag, problem: `Could not move ${rest}: ${reasonOf(error)}` };
  }
}

/** For changes that are conditional on the preset's ETag. */
export function reasonOf(error: unknown): string {
  return isStatus(error, 412) ? 'someone else changed the preset' : messageOf(error);
}
