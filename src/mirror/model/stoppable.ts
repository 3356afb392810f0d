export function makeStoppable(signal: AbortSignal) {
  return async <T>(work: (stop: AbortSignal) => Promise<T>): Promise<{ value: T; isStopped: boolean }> => ({
    value: await work(signal),
    isStopped: signal.aborted,
  });
}

export const NOT_BEGUN_REASON = "the command was stopped before it came to this item";
