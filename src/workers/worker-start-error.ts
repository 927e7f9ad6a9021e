/** Workers cannot start, and the message says why; it is empty where one of them said so itself. */
export class WorkerStartError extends Error {
  override readonly name = 'WorkerStartError';
}
