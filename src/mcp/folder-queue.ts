/**
 * Queue for work that needs a folder's lock. Work on one folder runs in order, because two calls of
 * this process would lock each other out.
 */
export class FolderQueue {
  readonly #last = new Map<string, Promise<unknown>>();

  async take<T>(root: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(root) ?? Promise.resolve();
    // An error of the earlier work reaches the caller of that work, so it does not stop the next
    // work.
    const own = before.then(work, work);
    this.#last.set(root, own);
    try {
      return await own;
    } finally {
      if (this.#last.get(root) === own) this.#last.delete(root);
    }
  }
}
