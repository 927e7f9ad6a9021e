/** The workers cannot start. The message is empty if a worker has already printed the reason. */
export class WorkerStartError extends Error {
  override readonly name = 'WorkerStartError';
}
