/** Turns keep writers out of each other's way, and nothing depends on them: nobody waits longer for one that hangs. */
const turnMs = 1_000;

/** One writer at a time, in the order in which they asked. Each has one turn at most, or waits for one. */
export class WriteLock<Writer> {
  readonly #waiting: { readonly writer: Writer; readonly begin: () => void }[] = [];
  #writing: Writer | undefined;
  #overdue: NodeJS.Timeout | undefined;

  /** Resolves when it is the turn of the writer, and never where it ends before. */
  acquire(writer: Writer): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push({ writer, begin: resolve });
      if (this.#writing === undefined) this.#next();
    });
  }

  /** A writer that has written, with its turn or because it waited too long for one, or that is gone, keeps nobody waiting. */
  release(writer: Writer): void {
    const place = this.#waiting.findIndex((waiting) => waiting.writer === writer);
    if (place >= 0) this.#waiting.splice(place, 1);
    if (this.#writing === writer) this.#next();
  }

  #next(): void {
    clearTimeout(this.#overdue);
    const next = this.#waiting.shift();
    this.#writing = next?.writer;
    if (next === undefined) return;
    this.#overdue = setTimeout(() => this.#next(), turnMs);
    next.begin();
  }
}
