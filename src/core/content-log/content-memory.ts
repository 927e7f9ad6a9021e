/**
 * Bounds the memory that the content log takes in a process.
 *
 * Two things cost memory: responses that are put together while they stream, and contents that wait
 * to be written. Each logged call has a share, which follows what is kept of it from the first byte
 * of its response until it is written. When the limit is reached, the call that needs more loses
 * its content, which is counted; the call itself goes on.
 */
export class ContentMemory {
  readonly #bytesMax: number;
  readonly #onDropped: (count: number) => void;
  #bytes = 0;

  /** `onDropped` is called with the number of contents that are lost. */
  constructor(bytesMax: number, onDropped: (count: number) => void) {
    this.#bytesMax = bytesMax;
    this.#onDropped = onDropped;
  }

  /** The memory that all shares hold. */
  get bytes(): number {
    return this.#bytes;
  }

  createShare(): ContentShare {
    let held = 0;
    let isDropped = false;
    const hold = (bytes: number) => {
      this.#bytes += bytes - held;
      held = bytes;
    };
    return {
      resize: (bytes) => {
        if (isDropped) return false;
        isDropped = bytes > held && this.#bytes + bytes - held > this.#bytesMax;
        if (isDropped) this.#onDropped(1);
        hold(isDropped ? 0 : bytes);
        return !isDropped;
      },
      release: () => hold(0),
    };
  }
}

/** The memory that the content of a call takes. */
export interface ContentShare {
  /** Returns false if the memory is used up: then the content has to be dropped, and is counted. */
  resize(bytes: number): boolean;
  /** Nothing is kept any more. */
  release(): void;
}
