import { type Clock, systemClock } from '../../core/clock.ts';

/** The clock of the demo's server. It can be set back, to date what the demo is filled with. */
export interface StoryClock {
  readonly now: Clock;
  /** Stops the clock at this time. */
  set(time: Date): void;
  /** The clock shows the current time again. */
  release(): void;
}

export function createStoryClock(): StoryClock {
  let stoppedAt: string | undefined;
  return {
    now: () => stoppedAt ?? systemClock(),
    set(time) {
      stoppedAt = time.toISOString();
    },
    release() {
      stoppedAt = undefined;
    },
  };
}
