import { countCharacters, MAX_CONTENT_CHARACTERS } from "../../../contract/limits.ts";
import type { Digest } from "../../../contract/digest.ts";
import { sameInodeAndBirth, type Stamp } from "../../model/link.ts";
import type { LocalPath } from "../../../contract/path.ts";
import { isRemembered } from "../../model/block.ts";
import { unreadable } from "../../model/seen.ts";
import type { Spelling } from "../../../contract/spelling.ts";
import type { Policy } from "../../model/policy.ts";
import type { BaseTree, LocalFile, LocalTree, TextLookup, Trees } from "../../model/tree.ts";
import { findLocalPlaces } from "../../planner/local-places.ts";
import type { Disk, OnText } from "../../ports/disk.ts";
import type { State } from "../../ports/state.ts";
import { hasNewTarget, hasGoneTarget } from "./leads-elsewhere.ts";
import type { LinkForms } from "./forms.ts";
import type { LinkPlaces, Where } from "./places.ts";

/** Policy and texts by which a cycle matches documents. */
export type Matching = { readonly policy: Policy; readonly texts: TextLookup };

/** Reads the files of a scan that have links, in the service's form. */
export class FoundReader {
  readonly #plain: Pick<Disk, "read">;
  readonly #forms: LinkForms;
  readonly #state: Pick<State, "spellings">;

  constructor(plain: Pick<Disk, "read">, forms: LinkForms, state: Pick<State, "spellings">) {
    this.#plain = plain;
    this.#forms = forms;
    this.#state = state;
  }

  /**
   * Reads the links that a scan left unread, by where the planner's match has documents.
   * @param isListed whether everything that the service shows is known
   * @returns the local tree; nothing in it counts as absent if a file was replaced since the scan
   */
  readNew(trees: Trees, matching: Matching, onText: OnText, isListed: boolean): LocalTree {
    const { local } = trees;
    const unread = [...local.files.values().filter(({ linksUnread }) => linksUnread === true)];
    if (unread.length === 0) return local;
    const where = this.#match(trees, matching, isListed);
    const files = new Map<LocalPath, LocalFile | null>();
    for (const file of unread) files.set(file.path, this.#readFile(file, where, onText, false));
    return withFiles(local, files);
  }

  /**
   * Reads files again if a link led nowhere and its target exists by now; and edited ones with a
   * link to what is gone. A document that is blocked, protected or in conflict waits for its next
   * edit: its user has not asked for this one.
   */
  readAgain(trees: Trees, matching: Matching, onText: OnText): LocalTree {
    const spellings = this.#state.spellings.all();
    const { base, local } = trees;
    if (spellings.length === 0) return local;
    const where = this.#match(trees, matching, true);
    const waits = waitingPaths(base);
    const files = new Map<LocalPath, LocalFile | null>();
    for (const spelling of spellings) {
      const { path, text } = spelling;
      if (!isToBeReadAgain(spelling, trees, waits, where.now)) continue;
      const file = local.files.get(path);
      if (file === undefined || file.digest !== text) continue;
      const read = this.#readFile(file, where, onText, true);
      if (read !== null && read.digest !== file.digest) files.set(path, { ...read, stampTrusted: false });
    }
    return withFiles(local, files);
  }

  #match(trees: Trees, { policy, texts }: Matching, isListed: boolean): Where {
    return this.#forms.matched(findLocalPlaces(trees, policy, texts), isListed ? trees.remote : null);
  }

  /**
   * Reads a file of a scan in the service's form.
   * @param asNew reads by the present places, whatever its bytes stood for
   * @returns null if it cannot be read, is no text, or is another file by now
   */
  #readFile(file: LocalFile, where: Where, onText: OnText, asNew: boolean): LocalFile | null {
    const { linksUnread, bytes: _, ...plain } = file;
    const { path } = file;
    const bytes = this.#plain.read(path);
    if (bytes.kind !== "done" || !sameInodeAndBirth(bytes.value.stamp, file.stamp)) return null;
    const { stamp } = bytes.value;
    const stampTrusted = file.stampTrusted && isSameStamp(file.stamp, stamp);
    const form = asNew
      ? this.#forms.readAnew(path, bytes.value, where)
      : this.#forms.toService(path, bytes.value, where);
    onText(form.digest, form.text, path);
    return {
      ...plain,
      stamp,
      stampTrusted,
      digest: form.digest,
      ...bytesOf(bytes.value.digest, form.digest),
      textFault: faultOf(form.text),
    };
  }
}

function isToBeReadAgain(
  { path, text, leads }: Spelling,
  { base, remote }: Trees,
  waits: ReadonlySet<LocalPath>,
  now: LinkPlaces,
): boolean {
  const id = now.docAt(path);
  // Unedited content must not restore its document that is gone.
  if (hasNewTarget(leads, now)) return !waits.has(path) && (id === null || remote.files.has(id));
  if (!hasGoneTarget(leads, now)) return false;
  const link = id === null ? undefined : base.links.get(id);
  if (link === undefined) return true;
  // Unedited content stays base's, whatever targets are gone since.
  if (link.localDigest === text || link.digest === text) return false;
  return !waits.has(path) || base.blocks.get(link.id)?.reason === "refused";
}

/** Returns the paths of documents for which no content may be sent that no user wrote. */
function waitingPaths({ links, blocks, conflicts }: BaseTree): ReadonlySet<LocalPath> {
  const waits = new Set<LocalPath>();
  for (const link of links.values()) {
    const block = blocks.get(link.id);
    // A computed block is the previous plan's. The next plan judges after the links are read.
    const isBlocked = block !== undefined && isRemembered(block);
    if (link.protected || link.submissions.length > 0 || isBlocked || conflicts.has(link.id))
      waits.add(block?.path ?? link.localPath);
  }
  return waits;
}

/** @param changed null: the file is not the one that the scan saw */
function withFiles(tree: LocalTree, changed: ReadonlyMap<LocalPath, LocalFile | null>): LocalTree {
  if (changed.size === 0) return tree;
  const files = new Map(tree.files);
  for (const [path, file] of changed)
    if (file === null) files.delete(path);
    else files.set(path, file);
  if (!changed.values().some((file) => file === null)) return { ...tree, files };
  return { ...tree, files, unseen: new Map(tree.unseen).set("", unreadable("its files keep moving")) };
}

export function isSameStamp(a: Stamp, b: Stamp): boolean {
  return a.ino === b.ino && a.ctimeMs === b.ctimeMs && a.mtimeMs === b.mtimeMs && a.size === b.size;
}

export function bytesOf(bytes: Digest, text: Digest): Pick<LocalFile, "bytes"> {
  return bytes === text ? {} : { bytes };
}

export function faultOf(text: string): LocalFile["textFault"] {
  if (text.includes("\0")) return "contains-nul";
  return countCharacters(text) > MAX_CONTENT_CHARACTERS ? "too-large" : null;
}
