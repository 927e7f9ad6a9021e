import { BufferedTextLimit, type EventOf, type StreamEvent } from './stream-events.ts';

/**
 * Puts the blocks of a stream one after another, for dialects in which they may interleave.
 *
 * Each parser of such a dialect creates one for its stream. It opens a slot for everything that has
 * its own place in the order, adds events to it and closes it. Events of the first open slot are
 * passed on at once, those of later slots are queued until all slots before them are closed.
 */
export class BlockSequencer {
  readonly #slots: Slot[] = [];
  readonly #buffered = new BufferedTextLimit();
  #events: StreamEvent[] = [];

  /** Adds a slot after all others. */
  open(): Slot {
    const slot = { queued: [], isClosed: false };
    this.#slots.push(slot);
    return slot;
  }

  add(slot: Slot, event: StreamEvent): void {
    if (slot === this.#slots[0]) this.#events.push(event);
    else this.#queue(slot, event);
  }

  close(slot: Slot): void {
    slot.isClosed = true;
    while (this.#slots[0]?.isClosed) {
      this.#slots.shift();
      this.#flush(this.#slots[0]);
    }
  }

  /** Adds an event that belongs to no slot. The caller has closed all of them if it is the last. */
  addOutside(event: StreamEvent): void {
    this.#events.push(event);
  }

  /** Removes and returns the events that may be passed on. */
  take(): readonly StreamEvent[] {
    const events = this.#events;
    if (events.length > 0) this.#events = [];
    return events;
  }

  /** Deltas are joined, so that the limit on text also limits the number of events. */
  #queue({ queued }: Slot, event: StreamEvent): void {
    const last = queued.at(-1);
    if (event.type === 'delta') this.#buffered.addDelta(event);
    if (isPlainDelta(event) && isPlainDelta(last))
      queued[queued.length - 1] = { type: 'delta', text: last.text + event.text };
    else queued.push(event);
  }

  #flush(slot: Slot | undefined): void {
    if (slot === undefined) return;
    for (const event of slot.queued) this.#events.push(event);
    slot.queued = [];
  }
}

function isPlainDelta(event: StreamEvent | undefined): event is EventOf<'delta'> {
  return event?.type === 'delta' && event.logprobs === undefined;
}

/** A place in the order of blocks. */
export interface Slot {
  queued: StreamEvent[];
  isClosed: boolean;
}
