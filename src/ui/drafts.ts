/**
 * Keeps contents that were typed into a form and could not be saved, so that the next page shows
 * them again. In memory only.
 */

/** LIMIT: drafts that are kept. */
const MOST = 50;

export class Drafts {
  /** Drafts by folder and path, the newest last. */
  readonly #texts = new Map<string, string>();

  of(root: string, path: string): string | null {
    return this.#texts.get(nameOf(root, path)) ?? null;
  }

  keep(root: string, path: string, text: string): void {
    this.drop(root, path);
    this.#texts.set(nameOf(root, path), text);
    const [oldest] = this.#texts.keys();
    if (this.#texts.size > MOST) this.#texts.delete(oldest!);
  }

  drop(root: string, path: string): void {
    this.#texts.delete(nameOf(root, path));
  }
}

function nameOf(root: string, path: string): string {
  return `${root}\0${path}`;
}
