import { linksIn, pathSaid } from "./linked-texts.ts";
import { tagOf } from "./text-marks.ts";

/** A link by path that no sync has read yet: its meaning is the document now at the path. */
type Unread = { readonly mirror: number; readonly step: number };

/**
 * Links that users may rely on. A link by id means its document immediately; a link by path, once a
 * sync has read it. Until then it means nothing once its target, or its own file, is moved.
 */
export class PromisedLinks {
  readonly #unread = new Map<string, Unread>();
  readonly #promised = new Set<string>();

  /** Notes a link by id, in the web app. */
  written(mark: string): void {
    this.#promised.add(mark);
  }

  /** Notes a link by path, in a folder. */
  writtenHere(mark: string, mirror: number, step: number): void {
    this.#unread.set(mark, { mirror, step });
  }

  isPromised(mark: string): boolean {
    return this.#promised.has(mark);
  }

  /**
   * Called after acts in a folder: unread links must still lead to their targets.
   * @param read step before which a sync has read everything; null: no sync has read the present
   * files
   */
  lookedAt(mirror: number, documents: () => ReadonlyMap<string, string>, read: number | null): void {
    const own = [...this.#unread].filter(([, unread]) => unread.mirror === mirror);
    if (own.length === 0) return;
    const home = leadingHome(documents());
    for (const [mark, { step }] of own) {
      if (home.has(mark) && (read === null || step >= read)) continue;
      this.#unread.delete(mark);
      if (home.has(mark)) this.#promised.add(mark);
    }
  }

  /**
   * An editor saves content that it read a while ago: links that were rewritten since mean nothing
   * now.
   */
  savedStale(current: string | null, saved: string): void {
    const spelled = new Map(linksIn(current ?? "").map(({ mark, said }) => [mark, said]));
    for (const { mark, said } of linksIn(saved)) {
      if (spelled.get(mark) === said) continue;
      this.#unread.delete(mark);
      this.#promised.delete(mark);
    }
  }
}

/** Returns the marks of links by path that lead to the documents that they name. */
function leadingHome(documents: ReadonlyMap<string, string>): Set<string> {
  const home = new Set<string>();
  for (const [path, text] of documents)
    for (const { mark, to, said } of linksIn(text)) {
      const target = documents.get(pathSaid(path, said) ?? "");
      if (target !== undefined && tagOf(target) === to) home.add(mark);
    }
  return home;
}
