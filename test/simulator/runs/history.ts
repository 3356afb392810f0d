import { createHash } from "node:crypto";
import { rollDice } from "../dice.ts";
import { DIALECTS, linkLine, linksIn, marksOf, pathOfDestination, TAG_ROOM, tagOf } from "./contents.ts";

/**
 * What the users did and want: contents that they wrote, lines that they removed, documents that
 * they deleted. The oracle compares the mirrors with it.
 */

export class History {
  /** SHA-256 of all events. Two runs of one script must have the same (I32). */
  readonly trace = createHash("sha256");
  /** SHA-256 of all requests and of both sides at the end; independent of clocks (I29). */
  readonly decisions = createHash("sha256");
  readonly failures: string[] = [];
  /** Lines that users wrote and did not remove: mark of the line → document's tag, and step. */
  readonly marks = new Map<string, { readonly tag: string; readonly by: string }>();
  /**
   * Tags of documents that may lose their ids: a user deleted them, or no evidence distinguishes
   * them from others.
   */
  readonly mayVanish = new Set<string>();
  /** All contents that users wrote. */
  readonly texts = new Set<string>();
  /** Lines that a mirror has sent as new content of a known document. */
  readonly sent = new Set<string>();
  readonly links = new PromisedLinks();
  /** Lines that changes in review would remove, by document. */
  readonly #leaving = new Map<string, Set<string>>();
  step = 0;
  #numbers = 0;
  /** For each mirror, the step of the last local edit of each document, by tag. */
  readonly #edited: Map<string, number>[] = [];
  readonly #renamed: Map<string, number>[] = [];
  /**
   * For each mirror, documents that were saved with the same content, which changes the inode: tag
   * → step.
   */
  readonly #rewritten: Map<string, number>[] = [];
  /**
   * For each mirror, contents that a user kept in a conflict: tag of the content → tag of its
   * document. Base has the document's earlier content until the kept one is sent.
   */
  readonly kept: Map<string, string>[] = [];
  /**
   * For each mirror, the documents at each path when it scanned, by tag; base has them at that
   * path.
   */
  readonly #places: Map<string, Set<string>>[] = [];

  note(line: string): void {
    this.trace.update(`${line}\n`);
  }

  fail(what: string): void {
    if (this.failures.length < 40) this.failures.push(`${what} (step ${this.step})`);
  }

  /** Returns a number that is unique in this run. */
  number(): number {
    return this.#numbers++;
  }

  /** Returns content for a new document: a tag that no edit changes, and lines to merge. */
  newText(seed: number): string {
    const tag = this.number();
    const lines = Array.from({ length: 6 + (seed % 5) }, (_, line) => `line ${line} of document ${tag}\n\n`).join("");
    const text = DIALECTS[seed % DIALECTS.length]!(`tag ${tag}\n\n${lines}`);
    this.texts.add(text);
    return text;
  }

  /** Returns an edit of the content: mostly adds a line, sometimes replaces or removes one. */
  edit(text: string, seed: number, by: string): string {
    const dice = rollDice(seed);
    const newline = text.includes("\r\n") ? "\r\n" : "\n";
    const lines = text.split(newline);
    const number = String(this.number());
    const line = `mark ${number}; written by ${by}`;
    this.marks.set(number, { tag: tagOf(text) ?? "", by: `${by}, step ${this.step}` });
    const at = 2 + dice.below(Math.max(1, lines.length - 2));
    const how = dice.below(10);
    if (how < 6) lines.splice(at, 0, line, "");
    else if (how < 8) lines.splice(Math.min(at, lines.length), 1, line);
    else if (how < 9) lines.push(line);
    else lines.splice(at, 2, line);
    const next = lines.join(newline);
    this.texts.add(next);
    return next;
  }

  /**
   * Replaces one line and keeps the length. If the disk's times are coarse, only the bytes show
   * this change. Returns null if that is not possible.
   */
  rewrite(text: string, by: string): string | null {
    const number = String(this.number());
    const mark = `mark ${number};`;
    const line = /^line \d+ of document \d+$/m.exec(text)?.[0];
    if (line === undefined || line.length < mark.length) return null;
    this.marks.set(number, { tag: tagOf(text) ?? "", by: `${by}, step ${this.step}` });
    const next = text.replace(line, mark.padEnd(line.length, "."));
    this.texts.add(next);
    return next;
  }

  /**
   * Removes the end of the content. Never at a whole sector, which would look like a power cut.
   * Returns null if nothing can be removed.
   */
  cutShort(text: string, seed: number): string | null {
    const kept = text.slice(0, Math.max(TAG_ROOM, Math.floor(text.length / (2 + (seed % 3)))));
    const cut = Buffer.byteLength(kept) % 512 === 0 || !kept.isWellFormed() ? kept.slice(0, -1) : kept;
    if (cut === text || !cut.isWellFormed()) return null;
    this.texts.add(cut);
    return cut;
  }

  /** Records that a mirror sends content of a document. */
  sends(body: string): void {
    for (const mark of marksOf(body)) this.sent.add(mark);
  }

  /**
   * Records that a user replaced content. The lines that are not in `after` were removed on
   * purpose.
   * @param before null if there was no file
   * @param after null if the file was removed
   */
  replaced(before: string | null, after: string | null): void {
    if (before === null) return;
    const kept = marksOf(after ?? "");
    for (const mark of marksOf(before)) if (!kept.has(mark)) this.marks.delete(mark);
  }

  /**
   * Records an edit that was sent to review. The lines that it removes are removed on purpose once
   * the review is accepted.
   */
  wouldReplace(id: string, live: string, content: string): void {
    const kept = marksOf(content);
    const leaving = this.#leaving.get(id) ?? new Set();
    for (const mark of marksOf(live)) if (!kept.has(mark)) leaving.add(mark);
    this.#leaving.set(id, leaving);
  }

  accepted(id: string, live: string): void {
    const kept = marksOf(live);
    for (const mark of this.#leaving.get(id) ?? []) if (!kept.has(mark)) this.marks.delete(mark);
  }

  /**
   * Records a local edit. A document that was edited and renamed between two scans can be
   * recognized only by similar content. If its new path is that of a removed document, it cannot be
   * recognized at all. A document that was only renamed must keep its id.
   */
  editedHere(mirror: number, text: string): void {
    this.#both(mirror, text, this.#edited, this.#renamed);
  }

  renamedHere(mirror: number, text: string): void {
    this.#both(mirror, text, this.#renamed, this.#edited);
  }

  /**
   * Records that a user kept the local content of two new documents at one path. Base has the other
   * content, so the kept content is an edit without similarity.
   */
  keptHere(mirror: number, kept: string, dropped: string): void {
    const [tag, other] = [tagOf(kept), tagOf(dropped)];
    if (tag === null || other === null || tag === other) return;
    this.kept[mirror] ??= new Map();
    this.kept[mirror].set(tag, other);
    this.editedHere(mirror, kept);
  }

  /**
   * Records that a user moved a conflict copy over a file. If the file is another document's, the
   * content is a new document.
   */
  takenHere(mirror: number, over: string, theirs: string): void {
    this.vanishes(over);
    if (this.#renamed[mirror]?.has(tagOf(over) ?? "") === true) this.vanishes(theirs);
  }

  rewrittenHere(mirror: number, text: string): void {
    const tag = tagOf(text);
    this.#rewritten[mirror] ??= new Map();
    if (tag !== null) this.#rewritten[mirror].set(tag, this.step);
  }

  /**
   * Called after an action in the folder. A document that was renamed and saved again can be
   * recognized only by its unique content, which is compared after the path. Base may have another
   * document at the new path. Unless that document's inode is elsewhere, the file could also be
   * that document with pasted content, so both may lose their ids.
   */
  weighPaths(mirror: number, documents: () => ReadonlyMap<string, string>): void {
    this.links.lookedAt(mirror, documents, null);
    const [rewritten, renamed] = [this.#rewritten[mirror], this.#renamed[mirror]];
    if (rewritten === undefined || ![...rewritten.keys()].some((tag) => renamed?.has(tag))) return;
    const now = new Map(Array.from(documents(), ([path, text]) => [path, tagOf(text)]));
    const shown = new Set(now.values());
    const isKnownElsewhere = (tag: string): boolean =>
      shown.has(tag) && !rewritten.has(tag) && this.#edited[mirror]?.has(tag) !== true;
    for (const [path, tag] of now) {
      if (tag === null || !rewritten.has(tag) || renamed?.has(tag) !== true) continue;
      const others = [...(this.#places[mirror]?.get(path) ?? [])].filter((other) => other !== tag);
      if (others.some((other) => !isKnownElsewhere(other))) this.mayVanish.add(tag);
    }
  }

  /**
   * Called after a sync that may have been unable to read a folder. A document that was renamed and
   * saved again can be recognized only by its content. While its file may still be at its former
   * path in that folder, the file with its content may be a copy, and becomes a new document.
   * @param folder "" for any folder
   */
  weighHiddenPaths(mirror: number, folder: string): void {
    for (const [path, tags] of this.#places[mirror] ?? [])
      for (const tag of folder === "" || path.startsWith(`${folder}/`) ? tags : [])
        if (this.#rewritten[mirror]?.has(tag) === true && this.#renamed[mirror]?.has(tag) === true)
          this.mayVanish.add(tag);
  }

  /** Records that a folder was renamed or moved, and with it the paths of base below it. */
  folderMovedHere(mirror: number, from: string, to: string): void {
    const places = this.#places[mirror];
    if (places === undefined) return;
    for (const [path, tags] of [...places])
      if (path.startsWith(`${from}/`)) {
        const carried = `${to}${path.slice(from.length)}`;
        places.set(carried, new Set([...(places.get(carried) ?? []), ...tags]));
      }
  }

  /**
   * Records a scan of a mirror. Actions of the present step may have come after the scan.
   * @param all true if nothing was blocked, so base has the path of each document at that time
   */
  noteScan(mirror: number, documents: ReadonlyMap<string, string>, all: boolean): void {
    this.links.lookedAt(mirror, () => documents, all ? this.step : null);
    if (all) {
      for (const since of [this.#edited, this.#renamed, this.#rewritten])
        for (const [tag, step] of [...(since[mirror] ?? [])]) if (step < this.step) since[mirror]!.delete(tag);
      for (const tag of [...(this.kept[mirror]?.keys() ?? [])])
        if (this.#edited[mirror]?.has(tag) !== true) this.kept[mirror]!.delete(tag);
      if ((this.#renamed[mirror]?.size ?? 0) === 0) this.#places[mirror]?.clear();
    }
    this.#places[mirror] ??= new Map();
    const places = this.#places[mirror];
    for (const [path, text] of documents) {
      const tag = tagOf(text);
      if (tag !== null) places.set(path, (places.get(path) ?? new Set()).add(tag));
    }
  }

  #both(mirror: number, text: string, done: Map<string, number>[], other: Map<string, number>[]): void {
    const tag = tagOf(text);
    if (tag === null) return;
    done[mirror] ??= new Map();
    done[mirror].set(tag, this.step);
    if (!other[mirror]?.has(tag)) return;
    this.mayVanish.add(tag);
    const document = this.kept[mirror]?.get(tag);
    if (document !== undefined) this.mayVanish.add(document);
  }

  /**
   * Records that two documents can only be recognized together: each shows that the other is
   * elsewhere. If one may lose its id, the other may too.
   */
  linkFates(a: string, b: string): void {
    const [one, other] = [tagOf(a), tagOf(b)];
    if (one === null || other === null || this.mayVanish.has(one) || this.mayVanish.has(other))
      for (const text of [a, b]) this.vanishes(text);
  }

  vanishes(text: string): void {
    const tag = tagOf(text);
    if (tag !== null) this.mayVanish.add(tag);
  }
}

/** A link by path that no sync has read yet. Its target is whichever document is at the path. */
type Unread = { readonly mirror: number; readonly step: number };

/**
 * Links that must keep their targets. A link by id must keep it immediately, a link by path once a
 * sync has read it. Before that, a move of the target or of the link's own file may break it.
 */
class PromisedLinks {
  readonly #unread = new Map<string, Unread>();
  readonly #promised = new Set<string>();

  /** Records a link by id, written in the web app. */
  written(mark: string): void {
    this.#promised.add(mark);
  }

  /** Records a link by path, written in a folder. */
  writtenHere(mark: string, mirror: number, step: number): void {
    this.#unread.set(mark, { mirror, step });
  }

  isPromised(mark: string): boolean {
    return this.#promised.has(mark);
  }

  /**
   * Called after actions in a folder. Drops unread links that no longer lead to their targets.
   * @param read step before which a sync has read everything; null if no sync has read the present
   * files
   */
  lookedAt(mirror: number, documents: () => ReadonlyMap<string, string>, read: number | null): void {
    const own = [...this.#unread].filter(([, unread]) => unread.mirror === mirror);
    if (own.length === 0) return;
    const home = linksWithTargets(documents());
    for (const [mark, { step }] of own) {
      if (home.has(mark) && (read === null || step >= read)) continue;
      this.#unread.delete(mark);
      if (home.has(mark)) this.#promised.add(mark);
    }
  }

  /**
   * Records that an editor saved content which it read earlier. Links that were rewritten meanwhile
   * are no longer promised.
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
function linksWithTargets(documents: ReadonlyMap<string, string>): Set<string> {
  const home = new Set<string>();
  for (const [path, text] of documents)
    for (const { mark, to, said } of linksIn(text)) {
      const target = documents.get(pathOfDestination(path, said) ?? "");
      if (target !== undefined && tagOf(target) === to) home.add(mark);
    }
  return home;
}

/** Returns the content with one more line, which links to another document. */
export function linkTo(
  history: History,
  text: string,
  to: { readonly tag: string; readonly said: string },
  { seed, by }: { readonly seed: number; readonly by: string },
): { readonly mark: string; readonly text: string } {
  const mark = String(history.number());
  const newline = text.includes("\r\n") ? "\r\n" : "\n";
  const lines = text.split(newline);
  history.marks.set(mark, { tag: tagOf(text) ?? "", by: `${by}, step ${history.step}` });
  const at = 2 + rollDice(seed).below(Math.max(1, lines.length - 2));
  lines.splice(at, 0, "", linkLine(mark, to.tag, to.said, seed % 4), "");
  const next = lines.join(newline);
  history.texts.add(next);
  return { mark, text: next };
}
