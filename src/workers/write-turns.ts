/** One writer at a time, in the order in which they asked. */
export class WriteTurns<Writer> {
  readonly #waiting: { readonly writer: Writer; readonly begin: () => void }[] = [];
  #writing: Writer | undefined;

  /** Resolves when it is the turn of the writer. */
  take(writer: Writer): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push({ writer, begin: resolve });
      if (this.#writing === undefined) this.#next();
    });
  }

  end(writer: Writer): void {
    if (this.#writing === writer) this.#next();
  }

  /** A writer that is gone neither waits nor keeps others waiting. */
  leave(writer: Writer): void {
    const stays = this.#waiting.filter((waiting) => waiting.writer !== writer);
    this.#waiting.splice(0, this.#waiting.length, ...stays);
    this.end(writer);
  }

  #next(): void {
    const next = this.#waiting.shift();
    this.#writing = next?.writer;
    next?.begin();
  }
}
