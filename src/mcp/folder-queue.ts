/**
 * Queue for work that needs a folder's lock: one after the other for each folder, because this
 * process would find it locked by itself.
 */
export class FolderQueue {
  readonly #last = new Map<string, Promise<unknown>>();

  async take<T>(root: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(root) ?? Promise.resolve();
    // The caller of the earlier work receives its failure.
    const own = before.then(work, work);
    this.#last.set(root, own);
    try {
      return await own;
    } finally {
      if (this.#last.get(root) === own) this.#last.delete(root);
    }
  }
}
