/**
 * Work that would find a folder locked by this very process: one after the other for each folder.
 */
export class Turns {
  readonly #last = new Map<string, Promise<unknown>>();

  async take<T>(root: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(root) ?? Promise.resolve();
    // How the one before ended is told to who asked for it.
    const own = before.then(work, work);
    this.#last.set(root, own);
    try {
      return await own;
    } finally {
      if (this.#last.get(root) === own) this.#last.delete(root);
    }
  }
}
