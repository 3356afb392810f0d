/** Notifies its listeners that pages may have changed. */
export class Changes {
  readonly #listeners = new Set<() => void>();

  /** Adds a listener. Returns a function that removes the listener. */
  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  tell(): void {
    for (const listener of this.#listeners) listener();
  }

  /** Resolves at the next change, after `ms`, or when aborted, whichever comes first. */
  next(ms: number, gone: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const end = () => {
        off();
        clearTimeout(timer);
        gone.removeEventListener("abort", end);
        resolve();
      };
      const off = this.listen(end);
      const timer = setTimeout(end, ms);
      gone.addEventListener("abort", end, { once: true });
      if (gone.aborted) end();
    });
  }
}
