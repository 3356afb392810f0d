import type { Digest } from "../../../contract/digest.ts";
import { type LocalPath, parentOf } from "../../../contract/path.ts";
import type { LinkTarget, Spelling } from "../../../contract/spelling.ts";
import type { LocalFile } from "../../model/tree.ts";
import type { Spellings } from "../../ports/spellings.ts";
import type { State } from "../../ports/state.ts";
import type { LinkPlaces, PlacesByTime } from "./places.ts";
import type { DocumentRecord } from "../../model/record.ts";

/** Keeps spellings: the content with links by id that the bytes of each local file represent. */
export class KnownSpellings {
  readonly #stored: Spellings;
  readonly #state: Pick<State, "transact" | "transactSafely">;
  readonly #keeps: boolean;
  #dry = false;

  constructor(state: Pick<State, "spellings" | "transact" | "transactSafely">, mayStore: boolean) {
    this.#stored = state.spellings;
    this.#state = state;
    this.#keeps = mayStore;
  }

  /** @param dry true if nothing may be stored until the next call */
  begin(dry: boolean): void {
    this.#dry = dry;
  }

  /**
   * Returns true if spellings are stored. In a dry run, or if the state may not be written, none is
   * stored.
   */
  isKept(): boolean {
    return this.#keeps && !this.#dry;
  }

  /**
   * Returns the spelling of bytes at a path, and stores the spelling for that path. Searches this
   * path, the former path of a moved document, and then all paths in the same folder, from which
   * relative links lead to the same targets.
   */
  found(path: LocalPath, bytes: Digest, where: PlacesByTime): Spelling | null {
    const foundEntry = this.#find(path, bytes, where);
    if (foundEntry === null) return null;
    if (foundEntry.path === path) return this.asNewest(foundEntry);
    this.put({ ...foundEntry, path, id: where.now.docAt(path) });
    return foundEntry;
  }

  #find(path: LocalPath, bytes: Digest, { now, before }: PlacesByTime): Spelling | null {
    const entryAtPath = this.#stored.find(path, bytes);
    const id = now.idAt(path);
    const formerPath = id === null ? null : before.pathOf(id);
    if (entryAtPath !== null && (formerPath === null || formerPath === path || entryAtPath.id === id))
      return entryAtPath;
    const otherEntries = this.#stored.withBytes(bytes);
    return (
      otherEntries.find((other) => id !== null && other.id === id) ??
      otherEntries.find((other) => other.path === formerPath) ??
      entryAtPath ??
      findInFolder(otherEntries, parentOf(path))
    );
  }

  /**
   * Stores the spellings of files for their current paths. Finds all spellings before storing the
   * first, because equal files may have swapped paths.
   */
  follow(files: readonly LocalFile[], where: PlacesByTime): void {
    const movedEntries = files.flatMap(({ path, digest, bytes = digest }) => {
      const foundEntry = this.#find(path, bytes, where);
      return foundEntry === null || foundEntry.path === path
        ? []
        : [{ ...foundEntry, path, id: where.now.docAt(path) }];
    });
    if (movedEntries.length === 0 || !this.isKept()) return;
    this.#state.transact(() => {
      for (const spelling of movedEntries) this.put(spelling);
    });
  }

  /** Returns true if no local file has links. */
  isEmpty(): boolean {
    return this.#stored.isEmpty();
  }

  /**
   * Stores a spelling.
   * @param safely true to flush the spelling before a file gets bytes with other content. Otherwise
   * a power cut could keep the bytes but lose their spelling. If the link targets also moved,
   * nothing would show which content the bytes represent
   */
  put(spelling: Spelling, safely = false): void {
    if (!this.isKept()) return;
    if (safely) this.#state.transactSafely(() => this.#stored.put(spelling));
    else this.#stored.put(spelling);
  }

  /** Makes a stored spelling the newest again, after an edit or an effect was undone. */
  asNewest(spelling: Spelling): Spelling {
    if (this.#stored.atPath(spelling.path)[0]?.bytes !== spelling.bytes) this.put(spelling);
    return spelling;
  }

  /**
   * Records that a file was not written. The file still has the old bytes, so their spelling
   * becomes the newest again.
   */
  recordUnwritten(path: LocalPath, bytes: Digest): void {
    const spelling = this.#stored.find(path, bytes);
    if (spelling !== null) this.asNewest(spelling);
  }

  /** Stores the spelling of a file also for `setAsideAt`, before the file is set aside. */
  recordSettingAside(path: LocalPath, bytes: Digest, setAsideAt: string): void {
    const spelling = this.#stored.find(path, bytes);
    if (spelling !== null) this.put({ ...spelling, path: setAsideAt });
  }

  /**
   * Stores the spelling of a set-aside file for the original path again, because the file is at
   * that path or will be moved back to it.
   */
  recordPuttingBack(setAsideAt: string, path: LocalPath): void {
    const [spelling] = this.#stored.atPath(setAsideAt);
    if (spelling !== undefined) this.asNewest({ ...spelling, path });
  }

  recordMoved(from: LocalPath, to: LocalPath): void {
    if (this.#keeps) this.#stored.copy(from, to);
  }
}

function findInFolder(spellings: readonly Spelling[], folder: LocalPath): Spelling | null {
  const inSameFolder = spellings.filter(({ spelledAt }) => parentOf(spelledAt) === folder);
  const [firstEntry] = inSameFolder;
  return firstEntry !== undefined && inSameFolder.every(({ text }) => text === firstEntry.text) ? firstEntry : null;
}

/** Returns the first of the given spellings for each path. */
export function firstOfEachPath(spellings: Iterable<Spelling>): MapIterator<Spelling> {
  const firstByPath = new Map<LocalPath, Spelling>();
  for (const spelling of spellings) if (!firstByPath.has(spelling.path)) firstByPath.set(spelling.path, spelling);
  return firstByPath.values();
}

/** Returns true if a link that had no target has a target now, or if its deleted target is back. */
export function hasNewTarget(leads: readonly LinkTarget[], now: LinkPlaces): boolean {
  return leads.some((lead) => {
    if (lead.former !== undefined && now.pathOf(lead.former) !== null && !now.isGone(lead.former)) return true;
    return (lead.to === null || now.isGone(lead.to)) && now.existsNow(lead);
  });
}

/**
 * Returns a link of a rewritten file. A link without a target in the earlier spelling (`before`)
 * gets no target in the new spelling; only the path of such a link (`at`) is new.
 */
export function withoutTarget(lead: LinkTarget, before: LinkTarget | undefined): LinkTarget {
  return before === undefined ? lead : { ...before, at: lead.at };
}

/** Returns true if a link by path leads to a document that is known to be gone. */
export function hasGoneTarget(leads: readonly LinkTarget[], now: LinkPlaces): boolean {
  return leads.some(({ destination, to }) => to !== null && destination !== to && now.isGone(to));
}

/**
 * Returns true if the spelling at a path belongs to another document, as after a swap of two paths.
 */
export function isFileOfAnother({ id, text }: Spelling, record: DocumentRecord): boolean {
  return id !== record.id && text !== record.localDigest;
}

/** Returns true if links must be rewritten: a target has another path, or an id has a path now. */
export function hasMovedTarget({ path, spelledAt, leads }: Spelling, places: LinkPlaces): boolean {
  return path !== spelledAt || leads.some((lead) => hasWrongTarget(lead, places) || isResolvedNow(lead, places));
}

/**
 * Returns true while two documents swap paths, so that a link by path could lead to either
 * document.
 */
export function isTargetAmbiguous({ to }: LinkTarget, places: LinkPlaces): boolean {
  const path = to === null ? null : places.pathOf(to);
  return path !== null && places.isShared(path);
}

/**
 * Returns true if a link's target has no local path, and another document has, or may have, the
 * path in the link. Only a link by id then identifies the target. A link to a target that is gone
 * keeps its path.
 */
export function isPathOfAnother({ at, to }: LinkTarget, places: LinkPlaces): boolean {
  if (to === null || places.pathOf(to) !== null) return false;
  return places.isAway(to) || (at !== null && places.idAt(at) !== null && !places.isGone(to));
}

function hasWrongTarget(lead: LinkTarget, places: LinkPlaces): boolean {
  const { destination, at, to } = lead;
  if (to === null || destination === to) return false;
  const targetPath = places.pathOf(to);
  if (targetPath === null) return isPathOfAnother(lead, places);
  return at === null ? places.idAtAbsolute(destination) !== to : targetPath !== at || places.leadsElsewhere(lead);
}

/** Returns true if a link by id or absolute path had no known target before, and has one now. */
export function isResolvedNow({ destination, to }: LinkTarget, places: LinkPlaces): boolean {
  if (to === null) return places.idAtAbsolute(destination) !== null;
  return destination === to && places.pathOf(to) !== null;
}

export function isSameSpelling(old: Spelling, next: Spelling): boolean {
  const { leads } = next;
  if (old.bytes !== next.bytes || old.spelledAt !== next.spelledAt || old.leads.length !== leads.length) return false;
  return old.leads.every(({ destination, at, to, former }, index) => {
    const nextLead = leads[index]!;
    return (
      destination === nextLead.destination && at === nextLead.at && to === nextLead.to && former === nextLead.former
    );
  });
}
