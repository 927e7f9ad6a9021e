import type { Stop } from '../model/completion.ts';

/** The parts of a stop that neither OpenAI dialect can express, as paths in the source. */
export function stopLosses({ reason, sequence, original }: Stop): readonly string[] {
  return [
    ...(reason === 'pause' ? ['stop_reason'] : []),
    ...(sequence === undefined
      ? []
      : [original === 'stop_sequence' ? 'stop_sequence' : 'choices.*.stop_reason']),
  ];
}
