import { useEffect, useRef, useState } from 'react';
import type { PersonOutcome } from '../../../../../src/client/member-import/import-batch.ts';
import { formatLineProblem } from '../../../../../src/client/member-import/line-report.ts';
import { type ImportedMember, MemberTally } from '../../../../../src/client/member-import/member-tally.ts';
import { useForgetOrganization } from '../../../api/organization.ts';
import { useSession } from '../../../session/session.tsx';
import type { PeopleFile } from './read-people-file.ts';
import { sendPeople } from './send-people.ts';

export interface ImportProgress {
  readonly state: 'running' | 'stopping' | 'stopped' | 'failed' | 'finished';
  readonly sentCount: number;
  readonly tally: MemberTally;
  /** Sentences about lines that were refused, or differ from what the server has. */
  readonly told: readonly string[];
  readonly error: unknown;
}

/** One run over one file, which can be stopped and gone on with. */
export function useImport() {
  const { api } = useSession();
  const forget = useForgetOrganization();
  const stopper = useRef<AbortController>(undefined);
  const [progress, setProgress] = useState<ImportProgress>();
  // Whoever leaves the page sees no progress any more, and could not stop it.
  useEffect(() => () => stopper.current?.abort(), []);

  async function run(file: PeopleFile, isUpdating: boolean, begin: ImportProgress) {
    let now: ImportProgress = { ...begin, state: 'running', error: undefined };
    const controller = new AbortController();
    stopper.current = controller;
    const show = (next: Partial<ImportProgress>) => {
      const state = controller.signal.aborted ? 'stopping' : 'running';
      now = { ...now, state, ...next };
      setProgress(now);
    };
    show({});
    try {
      await sendPeople({
        people: file.people.slice(now.sentCount),
        signal: controller.signal,
        post: async (members) => {
          const body = { members, update_existing: isUpdating };
          const path = '/organization/members/import';
          const answer = await api.send<{ data: readonly ImportedMember[] }>({ method: 'POST', path, body });
          return answer.content.data;
        },
        onGroup: (outcomes, count) => {
          for (const outcome of outcomes) countOutcome(now.tally, outcome);
          show({ sentCount: now.sentCount + count, told: [...now.told, ...outcomes.flatMap(sentenceOf)] });
        },
      });
      show({ state: now.sentCount === file.people.length ? 'finished' : 'stopped' });
    } catch (error) {
      show({ state: 'failed', error });
    }
    void forget();
  }

  return {
    progress,
    start: (file: PeopleFile, isUpdating: boolean) => void run(file, isUpdating, beginningOf(file)),
    goOn: (file: PeopleFile, isUpdating: boolean) => progress && void run(file, isUpdating, progress),
    stop() {
      stopper.current?.abort();
      setProgress((now) => now && { ...now, state: 'stopping' });
    },
  };
}

function beginningOf({ problems, refusedLines }: PeopleFile): ImportProgress {
  const tally = new MemberTally();
  tally.add('refused', refusedLines);
  return { state: 'running', sentCount: 0, tally, told: problems, error: undefined };
}

function countOutcome(tally: MemberTally, { outcome, line, lastLine }: PersonOutcome): void {
  tally.add(outcome, outcome === 'refused' ? lastLine - line + 1 : 1);
}

function sentenceOf(outcome: PersonOutcome): readonly string[] {
  return outcome.problem === undefined ? [] : [formatLineProblem(outcome, outcome.problem)];
}
