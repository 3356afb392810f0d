import { countCharacters, MAX_CONTENT_CHARACTERS } from "../../../contract/limits.ts";
import type { Digest } from "../../../contract/digest.ts";
import { isSameInodeAndBirth, isSameStamp } from "../../model/record.ts";
import type { LocalPath } from "../../../contract/path.ts";
import { isRememberedBlock } from "../../model/block.ts";
import {
  type BaseTree,
  type LocalFile,
  type LocalTree,
  makeUnreadable,
  type TextLookup,
  type Trees,
} from "../../model/tree.ts";
import type { Spelling } from "../../../contract/spelling.ts";
import type { Policy } from "../../model/policy.ts";
import { findLocalPlaces } from "../../planner/local-places.ts";
import type { Disk, StoreContent } from "../../ports/disk.ts";
import type { State } from "../../ports/state.ts";
import { hasNewTarget, hasGoneTarget } from "./leads-elsewhere.ts";
import type { LinkForms } from "./forms.ts";
import type { LinkPlaces, PlacesByTime } from "./places.ts";

export type MatchInput = { readonly policy: Policy; readonly texts: TextLookup };

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
   * Resolves the links that the scan could not resolve. Uses the paths that the match finds for
   * documents.
   * @param isListed true if the listing of the service is complete
   * @returns the local tree. If a file was replaced since the scan, or can no longer be read, no
   * file counts as absent in this tree
   */
  readNew(trees: Trees, matching: MatchInput, onText: StoreContent, isListed: boolean): LocalTree {
    const { local } = trees;
    const unresolvedFiles = [...local.files.values().filter(({ hasUnresolvedLinks }) => hasUnresolvedLinks === true)];
    if (unresolvedFiles.length === 0) return local;
    const placesByTime = this.#match(trees, matching, isListed);
    this.#forms.known.follow(unresolvedFiles, placesByTime);
    const changedFiles = new Map<LocalPath, LocalFile | null>();
    for (const file of unresolvedFiles) changedFiles.set(file.path, this.#readFile(file, placesByTime, onText, false));
    return withChangedFiles(local, changedFiles);
  }

  /**
   * Resolves links again in two kinds of files:
   * - files with a link that had no target and has a target now,
   * - edited files with a link whose target is gone.
   *
   * Leaves out documents that are blocked, protected or in conflict. Otherwise the changed link
   * would be sent with their other changes, although the user did not change the link. mdmirror
   * reads these documents again after their next edit.
   */
  readAgain(trees: Trees, matching: MatchInput, onText: StoreContent): LocalTree {
    const spellings = this.#state.spellings.all();
    const { base, local } = trees;
    if (spellings.length === 0) return local;
    const placesByTime = this.#match(trees, matching, true);
    const waitingPaths = findWaitingPaths(base);
    const changedFiles = new Map<LocalPath, LocalFile | null>();
    for (const spelling of spellings) {
      const { path, text } = spelling;
      if (!mustReadAgain(spelling, trees, waitingPaths, placesByTime.now)) continue;
      const file = local.files.get(path);
      if (file === undefined || file.digest !== text) continue;
      const convertedFile = this.#readFile(file, placesByTime, onText, true);
      if (convertedFile !== null && convertedFile.digest !== file.digest)
        changedFiles.set(path, { ...convertedFile, stampTrusted: false });
    }
    return withChangedFiles(local, changedFiles);
  }

  #match(trees: Trees, { policy, texts }: MatchInput, isListed: boolean): PlacesByTime {
    return this.#forms.matched(findLocalPlaces(trees, policy, texts), isListed ? trees.remote : null);
  }

  /**
   * Reads a scanned file, and returns it with links by id.
   * @param byCurrentPaths true to resolve links by the current paths only, even if the state knows
   * which content the bytes represent
   * @returns null if the file cannot be read, is not text, or was replaced after the scan
   */
  #readFile(file: LocalFile, where: PlacesByTime, onText: StoreContent, byCurrentPaths: boolean): LocalFile | null {
    const { hasUnresolvedLinks, bytes: _, ...plain } = file;
    const { path } = file;
    const bytes = this.#plain.read(path);
    if (bytes.kind !== "done" || !isSameInodeAndBirth(bytes.value.stamp, file.stamp)) return null;
    const { stamp } = bytes.value;
    const stampTrusted = file.stampTrusted && isSameStamp(file.stamp, stamp);
    const content = byCurrentPaths
      ? this.#forms.readByCurrentPlaces(path, bytes.value, where)
      : this.#forms.toService(path, bytes.value, where);
    onText(content.digest, content.text, path);
    return {
      ...plain,
      stamp,
      stampTrusted,
      digest: content.digest,
      ...makeBytesField(bytes.value.digest, content.digest),
      textFault: findTextFault(content.text),
    };
  }
}

function mustReadAgain(
  { path, text, leads }: Spelling,
  { base, remote }: Trees,
  waiting: ReadonlySet<LocalPath>,
  now: LinkPlaces,
): boolean {
  const id = now.docAt(path);
  // A link in the file has a target now. If the document is missing on the service, this is no
  // reason to upload the document again.
  if (hasNewTarget(leads, now)) return !waiting.has(path) && (id === null || remote.files.has(id));
  if (!hasGoneTarget(leads, now)) return false;
  const record = id === null ? undefined : base.records.get(id);
  if (record === undefined) return true;
  // Without an edit, the content stays equal to base's, even if targets of its links are gone.
  if (record.localDigest === text || record.digest === text) return false;
  return !waiting.has(path) || base.blocks.get(record.id)?.reason === "refused";
}

/** Returns documents that wait for the user or a reviewer. Their links must not be changed. */
function findWaitingPaths({ records, blocks, conflicts }: BaseTree): ReadonlySet<LocalPath> {
  const waitingPaths = new Set<LocalPath>();
  for (const record of records.values()) {
    const block = blocks.get(record.id);
    // A block does not count if each plan computes it from the trees. The next plan decides about
    // such a block after the links are read.
    const isBlocked = block !== undefined && isRememberedBlock(block);
    if (record.protected || record.submissions.length > 0 || isBlocked || conflicts.has(record.id))
      waitingPaths.add(block?.path ?? record.localPath);
  }
  return waitingPaths;
}

/**
 * Returns the tree with the changed files. A null among these files means that a file was replaced,
 * or could not be read; no file then counts as absent.
 */
function withChangedFiles(tree: LocalTree, changed: ReadonlyMap<LocalPath, LocalFile | null>): LocalTree {
  if (changed.size === 0) return tree;
  const files = new Map(tree.files);
  for (const [path, file] of changed)
    if (file === null) files.delete(path);
    else files.set(path, file);
  if (!changed.values().some((file) => file === null)) return { ...tree, files };
  return { ...tree, files, unseen: new Map(tree.unseen).set("", makeUnreadable("its files keep moving")) };
}

export function makeBytesField(bytes: Digest, text: Digest): Pick<LocalFile, "bytes"> {
  return bytes === text ? {} : { bytes };
}

export function findTextFault(text: string): LocalFile["textFault"] {
  if (text.includes("\0")) return "contains-nul";
  return countCharacters(text) > MAX_CONTENT_CHARACTERS ? "too-large" : null;
}
