import { insertInto } from './write-rows.ts';

/** Notes that a batch is stored. Returns no row if it was stored before. */
export const addBatch = insertInto<{ readonly id: string }>(
  'add-call-batch',
  'call_batches',
  { id: 'uuid' },
  'ON CONFLICT (id) DO NOTHING RETURNING id',
);
