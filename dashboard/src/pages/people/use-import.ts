/**
 * Runs one import.
 *
 * People are sent in batches while the progress is updated after each. The user can stop between
 * batches and resume; a failure can be resumed too, from the first batch that was not confirmed.
 * Leaving the page stops the import after the batch in flight. Repeating a batch is harmless, since
 * members that already exist are not added again.
 */

import { useEffect, useRef, useState } from 'react';
import type { PersonOutcome } from '../../../../src/member-import/import-batch.ts';
import { formatLineProblem, MemberTally } from '../../../../src/member-import/import-report.ts';
import { useInvalidateOrganization } from '../../api/organization.ts';
import { useSession } from '../../api/session.ts';
import type { PeopleFile } from './read-people-file.ts';
import { sendPeople } from './send-people.ts';

export interface ImportProgress {
  readonly state: 'running' | 'stopping' | 'stopped' | 'failed' | 'finished';
  readonly sentCount: number;
  readonly tally: MemberTally;
  /** Messages about lines that were rejected, or that differ from the existing member. */
  readonly reportLines: readonly string[];
  readonly error: unknown;
}

/** `progress` is undefined before the first start. */
export function useImport() {
  const { api } = useSession();
  const invalidate = useInvalidateOrganization();
  const aborter = useRef<AbortController>(undefined);
  const [progress, setProgress] = useState<ImportProgress>();
  // After leaving, nobody could see the progress or stop it.
  useEffect(() => () => aborter.current?.abort(), []);

  async function run(file: PeopleFile, isUpdating: boolean, start: ImportProgress) {
    let current: ImportProgress = { ...start, state: 'running', error: undefined };
    const controller = new AbortController();
    aborter.current = controller;
    const update = (next: Partial<ImportProgress>) => {
      const state = controller.signal.aborted ? 'stopping' : 'running';
      current = { ...current, state, ...next };
      setProgress(current);
    };
    update({});
    try {
      await sendPeople({
        people: file.people.slice(current.sentCount),
        signal: controller.signal,
        post: async (members) => {
          const body = { members: [...members], update_existing: isUpdating };
          return (await api.call('POST /organization/members/import', { body })).content.data;
        },
        onGroup: (outcomes, count) => {
          for (const outcome of outcomes) countOutcome(current.tally, outcome);
          update({
            sentCount: current.sentCount + count,
            reportLines: [...current.reportLines, ...outcomes.flatMap(reportLinesOf)],
          });
        },
      });
      update({ state: current.sentCount === file.people.length ? 'finished' : 'stopped' });
    } catch (error) {
      update({ state: 'failed', error });
    }
    void invalidate();
  }

  return {
    progress,
    start: (file: PeopleFile, isUpdating: boolean) => void run(file, isUpdating, initialProgress(file)),
    resume: (file: PeopleFile, isUpdating: boolean) => progress && void run(file, isUpdating, progress),
    stop() {
      aborter.current?.abort();
      setProgress((current) => current && { ...current, state: 'stopping' });
    },
  };
}

/** Lines that could not be read count as rejected from the start. */
function initialProgress({ problems, rejectedLines }: PeopleFile): ImportProgress {
  const tally = new MemberTally();
  tally.add('refused', rejectedLines);
  return { state: 'running', sentCount: 0, tally, reportLines: problems, error: undefined };
}

function countOutcome(tally: MemberTally, { outcome, line, lastLine }: PersonOutcome): void {
  tally.add(outcome, outcome === 'refused' ? lastLine - line + 1 : 1);
}

function reportLinesOf(outcome: PersonOutcome): readonly string[] {
  return outcome.problem === undefined ? [] : [formatLineProblem(outcome, outcome.problem)];
}
