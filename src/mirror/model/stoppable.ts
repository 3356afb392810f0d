export function makeStoppable(signal: AbortSignal) {
  return async <T>(work: (stop: AbortSignal) => Promise<T>): Promise<{ value: T; isStopped: boolean }> => ({
    value: await work(signal),
    isStopped: signal.aborted,
  });
}
