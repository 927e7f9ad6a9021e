import {
  applyReport,
  type Lease,
  type LeasedCounter,
  type SpendReport,
  writeOff,
} from '../core/budgets/lease.ts';
import { counterAt, nothingSpent, type SpendCounter } from '../core/budgets/spend-limit.ts';
import type { SpendStore } from '../core/budgets/spend-storage.ts';
import { addBatch } from './call-batches.ts';
import type { Database, Query } from './database.ts';
import { fields, select } from './select.ts';
import { statement } from './statement.ts';
import { deleteFrom, insertInto, typed, updateIn } from './write-rows.ts';

type CounterRow = SpendCounter & { readonly subject: string };
type LeaseRow = Lease & { readonly subject: string };

export function spendStore(database: Database): SpendStore {
  return {
    report: ({ id, holder, reports }, now) =>
      database.transaction(async (query) => {
        const isNew = (await addBatch(query, [{ id }])).length > 0;
        const subjects = reports.map(({ subject }) => subject);
        // Sorted, so that processes that report the same subjects lock them in the same order.
        await addCounters(
          query,
          subjects.toSorted().map((subject) => ({ subject, ...nothingSpent })),
        );
        const counters = await lockLeasedCounters(query, subjects);
        const changed = reports.map((report) => {
          const before = counters.get(report.subject) ?? { counter: nothingSpent, leases: [] };
          // The spend of a repeated report is counted already.
          const once: SpendReport = isNew ? report : { ...report, spent: 0 };
          return { subject: report.subject, before, ...applyReport(before, holder, once, now) };
        });
        await store(query, changed);
        return changed.map(({ grant }) => grant);
      }),
    async writeOff(now) {
      const expired = await database.query(listExpired, [now]);
      if (expired.length === 0) return;
      const subjects = expired.map(({ subject }) => subject);
      await database.transaction(async (query) => {
        const counters = await lockLeasedCounters(query, subjects);
        const changed = [...counters].map(([subject, before]) => ({
          subject,
          before,
          ...writeOff(before, now),
        }));
        await store(query, changed);
      });
    },
    async find(subjects, now) {
      const rows = await database.query(findCounters, [subjects]);
      return new Map(rows.map(({ subject, ...counter }) => [subject, counterAt(counter, now)]));
    },
  };
}

async function lockLeasedCounters(
  query: Query,
  subjects: readonly string[],
): Promise<ReadonlyMap<string, LeasedCounter>> {
  const counters = await query(lockCounters, [subjects]);
  const leases = await query(listLeases, [subjects]);
  return new Map(
    counters.map(({ subject, ...counter }) => [
      subject,
      { counter, leases: leases.filter((lease) => lease.subject === subject) },
    ]),
  );
}

interface ChangedCounter extends LeasedCounter {
  readonly subject: string;
  readonly before: LeasedCounter;
}

async function store(query: Query, changed: readonly ChangedCounter[]): Promise<void> {
  await setCounters(
    query,
    changed.map(({ subject, counter }) => ({ subject, ...counter })),
  );
  const isSame = (one: Lease, other: Lease) => one.holder === other.holder;
  const written = changed.flatMap(({ subject, before, leases }) =>
    leases.filter((lease) => !before.leases.includes(lease)).map((lease) => ({ ...lease, subject })),
  );
  const removed = changed.flatMap(({ subject, before, leases }) =>
    before.leases
      .filter((lease) => !leases.some((other) => isSame(lease, other)))
      .map(({ holder }) => ({ subject, holder })),
  );
  await setLeases(query, written);
  await deleteLeases(query, removed);
}

const periods = ['day', 'dayStart', 'week', 'weekStart', 'month', 'monthStart'] as const;
const counterTypes = {
  subject: 'text',
  ...typed('bigint', 'total', 'day', 'week', 'month', 'writtenOff'),
  ...typed('integer', 'dayStart', 'weekStart', 'monthStart'),
} as const;
const leaseTypes = {
  ...typed('text', 'subject', 'holder'),
  ...typed('bigint', 'nanos', 'writtenOff', 'expiresAt'),
} as const;

const counterColumns = fields('s', 'subject', 'total', ...periods, 'writtenOff');

const addCounters = insertInto<CounterRow>(
  'add-spending',
  'spending',
  counterTypes,
  'ON CONFLICT (subject) DO NOTHING',
);

const setCounters = updateIn<CounterRow>('set-spending', 'spending', ['subject'], counterTypes);

const lockCounters = select<CounterRow>(
  'lock-spending',
  counterColumns,
  ({ isIn, forUpdate }) => `FROM spending s WHERE ${isIn('s.subject', '$1', 'text')}
    ORDER BY s.subject ${forUpdate}`,
);

const findCounters = select<CounterRow>(
  'find-spending',
  counterColumns,
  ({ isIn }) => `FROM spending s WHERE ${isIn('s.subject', '$1', 'text')}`,
);

const listLeases = select<LeaseRow>(
  'list-spending-leases',
  fields('l', 'subject', 'holder', 'nanos', 'writtenOff', 'expiresAt'),
  ({ isIn }) => `FROM spending_leases l WHERE ${isIn('l.subject', '$1', 'text')}`,
);

/** Few at a time. */
const listExpired = statement<{ readonly subject: string }>(
  'list-expired-leases',
  'SELECT subject FROM spending_leases WHERE expires_at <= $1 ORDER BY expires_at LIMIT 100',
);

const setLeases = insertInto<LeaseRow>(
  'set-spending-leases',
  'spending_leases',
  leaseTypes,
  `ON CONFLICT (subject, holder) DO UPDATE
   SET nanos = excluded.nanos, written_off = excluded.written_off, expires_at = excluded.expires_at`,
);

const deleteLeases = deleteFrom<Pick<LeaseRow, 'subject' | 'holder'>>(
  'delete-spending-leases',
  'spending_leases',
  typed('text', 'subject', 'holder'),
);
