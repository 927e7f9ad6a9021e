/** Workers cannot start, and the message says why; what one of them said itself stands above. */
export class WorkerStartError extends Error {
  override readonly name = 'WorkerStartError';
}
