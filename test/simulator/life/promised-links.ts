import { linksIn, pathSaid } from "./linked-texts.ts";
import { tagOf } from "./text-marks.ts";

/** A link by path that no sync has read yet: what it means is where its target is. */
type Unread = { readonly mirror: number; readonly step: number };

/**
 * Which links people may count on. One by id means its document at once; one by path, from when a
 * sync has read it there. Until then it says nothing any more once its target is moved, or the file
 * that it stands in.
 */
export class PromisedLinks {
  readonly #unread = new Map<string, Unread>();
  readonly #promised = new Set<string>();

  /** By id, in the app. */
  written(mark: string): void {
    this.#promised.add(mark);
  }

  /** By path, in a folder. */
  writtenHere(mark: string, mirror: number, step: number): void {
    this.#unread.set(mark, { mirror, step });
  }

  isPromised(mark: string): boolean {
    return this.#promised.has(mark);
  }

  /**
   * After whatever was done in a folder: links that nobody has read must still lead home.
   * @param read null: no sync has read what is there; else what was there before this step was read
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

  /** An editor saves what it read a while ago: what was spelled anew since says nothing now. */
  savedStale(current: string | null, saved: string): void {
    const spelled = new Map(linksIn(current ?? "").map(({ mark, said }) => [mark, said]));
    for (const { mark, said } of linksIn(saved)) {
      if (spelled.get(mark) === said) continue;
      this.#unread.delete(mark);
      this.#promised.delete(mark);
    }
  }
}

/** The marks of links by path that lead to the documents that they name. */
function leadingHome(documents: ReadonlyMap<string, string>): Set<string> {
  const home = new Set<string>();
  for (const [path, text] of documents)
    for (const { mark, to, said } of linksIn(text)) {
      const target = documents.get(pathSaid(path, said) ?? "");
      if (target !== undefined && tagOf(target) === to) home.add(mark);
    }
  return home;
}
