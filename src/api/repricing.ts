import { Type } from '../core/type.ts';
import { operations } from './operation.ts';
import { timestampInput } from './schema-parts.ts';
import { ndjson } from './transfer.ts';

/** The lines of a response, of which only the last has a result. */
export interface RepricingLine {
  readonly type: 'progress' | 'end';
  readonly examined_calls: number;
  readonly expected_calls: number;
}

export interface RepricingResult extends RepricingLine {
  readonly type: 'end';
  readonly dry_run: boolean;
  readonly from: string;
  readonly to: string;
  readonly unreachable_calls: number;
  readonly changed_calls: number;
  readonly old_cost: number;
  readonly new_cost: number;
  readonly models: readonly {
    readonly model: string | null;
    readonly upstream: string | null;
    readonly calls: number;
    readonly unpriced_calls: number;
    readonly old_cost: number;
    readonly new_cost: number;
  }[];
}

export const repricingOperations = operations({
  'POST /usage/reprice': {
    id: 'repriceUsage',
    tag: 'Usage',
    access: 'org-admin-write',
    summary: 'Recalculate the costs of a period',
    description:
      'Applies the prices in the upstream file, or list prices at the time of each call, to the stored calls of a period, and corrects all sums. Costs that upstreams reported stay, as do those of calls whose price is not known now. ' +
      'Newline-delimited JSON: lines of type `progress`, then one of type `end` with the change by model. Without that line, the change is incomplete: send the request again to complete it.',
    body: Type.Object({
      from: timestampInput('Rounded down to a full hour.'),
      to: timestampInput('Rounded up to a full hour.'),
      dry_run: Type.Optional(
        Type.Boolean({ description: 'Whether to report the change without making it.' }),
      ),
    }),
    bodySize: 'small',
    response: { description: 'The progress and the result.', content: { [ndjson]: { type: 'string' } } },
  },
});
