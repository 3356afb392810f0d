import { countCharacters, MAX_CONTENT_CHARACTERS } from "../../../contract/limits.ts";
import type { Digest } from "../../../contract/digest.ts";
import { sameInodeAndBirth, sameStamp } from "../../model/record.ts";
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

/** Policy and contents by which a cycle matches documents. */
export type MatchInput = { readonly policy: Policy; readonly texts: TextLookup };

/** Reads the scanned files that contain links, and converts these links to the service's form. */
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
   * Reads the links that a scan left unread, by the paths that the planner's match gives to
   * documents.
   * @param isListed true if the listing of the service is complete
   * @returns the local tree; if a file was replaced since the scan, no entry in the tree counts as
   * absent
   */
  readNew(trees: Trees, matching: MatchInput, onText: OnText, isListed: boolean): LocalTree {
    const { local } = trees;
    const unread = [...local.files.values().filter(({ hasUnresolvedLinks }) => hasUnresolvedLinks === true)];
    if (unread.length === 0) return local;
    const where = this.#match(trees, matching, isListed);
    this.#forms.known.follow(unread, where);
    const files = new Map<LocalPath, LocalFile | null>();
    for (const file of unread) files.set(file.path, this.#readFile(file, where, onText, false));
    return withFiles(local, files);
  }

  /**
   * Reads files again if a link had no target and its target exists now. Also reads edited files
   * again if a link leads to a target that is gone. A document that is blocked, protected or in
   * conflict waits for its next edit, because its user has not asked for this change.
   */
  readAgain(trees: Trees, matching: MatchInput, onText: OnText): LocalTree {
    const spellings = this.#state.spellings.all();
    const { base, local } = trees;
    if (spellings.length === 0) return local;
    const where = this.#match(trees, matching, true);
    const waiting = waitingPaths(base);
    const files = new Map<LocalPath, LocalFile | null>();
    for (const spelling of spellings) {
      const { path, text } = spelling;
      if (!isToBeReadAgain(spelling, trees, waiting, where.now)) continue;
      const file = local.files.get(path);
      if (file === undefined || file.digest !== text) continue;
      const read = this.#readFile(file, where, onText, true);
      if (read !== null && read.digest !== file.digest) files.set(path, { ...read, stampTrusted: false });
    }
    return withFiles(local, files);
  }

  #match(trees: Trees, { policy, texts }: MatchInput, isListed: boolean): Where {
    return this.#forms.matched(findLocalPlaces(trees, policy, texts), isListed ? trees.remote : null);
  }

  /**
   * Reads a file that a scan found, and returns it in the service's form.
   * @param byCurrentPaths true: resolves links by the current paths only, and ignores what was
   * recorded when mdmirror wrote this file
   * @returns null if the file cannot be read, is not text, or was replaced after the scan
   */
  #readFile(file: LocalFile, where: Where, onText: OnText, byCurrentPaths: boolean): LocalFile | null {
    const { hasUnresolvedLinks, bytes: _, ...plain } = file;
    const { path } = file;
    const bytes = this.#plain.read(path);
    if (bytes.kind !== "done" || !sameInodeAndBirth(bytes.value.stamp, file.stamp)) return null;
    const { stamp } = bytes.value;
    const stampTrusted = file.stampTrusted && sameStamp(file.stamp, stamp);
    const form = byCurrentPaths
      ? this.#forms.readByCurrentPlaces(path, bytes.value, where)
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
  waiting: ReadonlySet<LocalPath>,
  now: LinkPlaces,
): boolean {
  const id = now.docAt(path);
  // Content without an edit must not restore a target that is gone.
  if (hasNewTarget(leads, now)) return !waiting.has(path) && (id === null || remote.files.has(id));
  if (!hasGoneTarget(leads, now)) return false;
  const record = id === null ? undefined : base.records.get(id);
  if (record === undefined) return true;
  // Content without an edit stays equal to base, even if targets of its links are gone since.
  if (record.localDigest === text || record.digest === text) return false;
  return !waiting.has(path) || base.blocks.get(record.id)?.reason === "refused";
}

/**
 * Returns the paths of documents whose changes wait for the user or a reviewer. mdmirror must not
 * add a change of its own, such as a rewritten link, to them.
 */
function waitingPaths({ records, blocks, conflicts }: BaseTree): ReadonlySet<LocalPath> {
  const waiting = new Set<LocalPath>();
  for (const record of records.values()) {
    const block = blocks.get(record.id);
    // A computed block does not count: the previous plan found it, and the next plan decides again
    // after the links are read.
    const isBlocked = block !== undefined && isRemembered(block);
    if (record.protected || record.submissions.length > 0 || isBlocked || conflicts.has(record.id))
      waiting.add(block?.path ?? record.localPath);
  }
  return waiting;
}

/**
 * Puts files into a tree. `changed`: null for a file that changed since the scan; no entry in the
 * tree then counts as absent.
 */
function withFiles(tree: LocalTree, changed: ReadonlyMap<LocalPath, LocalFile | null>): LocalTree {
  if (changed.size === 0) return tree;
  const files = new Map(tree.files);
  for (const [path, file] of changed)
    if (file === null) files.delete(path);
    else files.set(path, file);
  if (!changed.values().some((file) => file === null)) return { ...tree, files };
  return { ...tree, files, unseen: new Map(tree.unseen).set("", unreadable("its files keep moving")) };
}

export function bytesOf(bytes: Digest, text: Digest): Pick<LocalFile, "bytes"> {
  return bytes === text ? {} : { bytes };
}

export function faultOf(text: string): LocalFile["textFault"] {
  if (text.includes("\0")) return "contains-nul";
  return countCharacters(text) > MAX_CONTENT_CHARACTERS ? "too-large" : null;
}
