/** Runs work that the signal stops, as the port of the same name describes. */
export function stoppableBy(signal: AbortSignal) {
  return async <T>(work: (stop: AbortSignal) => Promise<T>): Promise<{ value: T; isStopped: boolean }> => ({
    value: await work(signal),
    isStopped: signal.aborted,
  });
}
