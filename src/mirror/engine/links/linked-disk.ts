import { isSameInodeAndBirth, isSameStamp } from "../../model/record.ts";
import { type Digest, digestOf } from "../../../contract/digest.ts";
import type { LocalPath } from "../../../contract/path.ts";
import { type LocalFile, type LocalTree, makeUnreadable, type TextLookup, type Trees } from "../../model/tree.ts";
import type { Disk, DiskOutcome, FileUse, LocalText, PathState, StoreContent, WrittenStamp } from "../../ports/disk.ts";
import type { DigestedText, LinkForms, RecognisedContent } from "./forms.ts";
import { countCharacters, MAX_CONTENT_CHARACTERS } from "../../../contract/limits.ts";
import { isRememberedBlock } from "../../model/block.ts";
import type { Spelling } from "../../../contract/spelling.ts";
import type { Policy } from "../../model/policy.ts";
import { findLocalPlaces } from "../../planner/local-places.ts";
import { firstOfEachPath, hasGoneTarget, hasNewTarget } from "./known-spellings.ts";
import type { LinkPlaces, PlacesByTime } from "./places.ts";

const FILE_CHANGED_DETAIL = "the file was changed after the scan";

/** Files of a scan that may have links, each with the digest of the content with links by id. */
type FilesWithLinks = Map<LocalPath, Pick<LocalFile, "digest" | "textFault"> & Pick<RecognisedContent, "known">>;

export type MatchInput = { readonly policy: Policy; readonly texts: TextLookup };

/**
 * A disk that converts links. Users see links by path in their files. The engine reads, compares,
 * merges and writes content with links by id, as the service has it. Only this class converts
 * between the two forms for scans and effects. Each digest is that of content with links by id,
 * unless its name mentions bytes.
 */
export class LinkedDisk implements Disk {
  /** Disk without conversion of links. */
  readonly plain: Disk;
  readonly #forms: LinkForms;

  constructor(plain: Disk, forms: LinkForms) {
    this.plain = plain;
    this.#forms = forms;
  }

  walk(known: Parameters<Disk["walk"]>[0], onText: StoreContent = () => undefined): LocalTree {
    const filesWithLinks: FilesWithLinks = new Map();
    return this.#withLinking(this.plain.walk(known, this.#recognising(filesWithLinks, onText)), filesWithLinks);
  }

  *walkInParts(known: Parameters<Disk["walk"]>[0], onText: StoreContent = () => undefined): Generator<void, LocalTree> {
    const filesWithLinks: FilesWithLinks = new Map();
    return this.#withLinking(
      yield* this.plain.walkInParts(known, this.#recognising(filesWithLinks, onText)),
      filesWithLinks,
    );
  }

  scanFiles(...[tree, scope, onText, elsewhere]: Parameters<Disk["scanFiles"]>): LocalTree | null {
    const paths = [...scope];
    const filesWithLinks: FilesWithLinks = new Map();
    const scannedTree = this.plain.scanFiles(tree, paths, this.#recognising(filesWithLinks, onText), elsewhere);
    if (scannedTree === null || scannedTree === tree || filesWithLinks.size === 0) return scannedTree;
    const convertedTree = this.#withLinking(scannedTree, filesWithLinks);
    return paths.every((path) => isSameFile(tree.files.get(path), convertedTree.files.get(path)))
      ? tree
      : convertedTree;
  }

  /**
   * Returns a function that receives scanned content and converts the links that have a known
   * target. Some files must be read again when the paths of all documents are known.
   * @param linking receives all files with links
   */
  #recognising(linking: FilesWithLinks, onText: StoreContent): StoreContent {
    return (digest, text, path) => {
      if (!this.#forms.mayLink(text)) return onText(digest, text, path);
      const { form, known } = this.#forms.recognise(path, { text, digest });
      linking.set(path, { digest: form.digest, known, textFault: findTextFault(form.text) });
      onText(form.digest, form.text, path);
    };
  }

  #withLinking(tree: LocalTree, linking: FilesWithLinks): LocalTree {
    if (linking.size === 0) return tree;
    const files = new Map(tree.files);
    for (const [path, { digest, known, textFault }] of linking) {
      // The tree may lack the file, because the scan read the file's folder a second time.
      const file = tree.files.get(path);
      if (file === undefined) continue;
      const convertedFile = { ...file, digest, textFault, ...makeBytesField(file.digest, digest) };
      const isKnown = known === "at-path" || (known === "in-own-file" && this.#forms.isOwnFile(file));
      files.set(path, isKnown ? convertedFile : { ...convertedFile, stampTrusted: false, hasUnresolvedLinks: true });
    }
    return { ...tree, files };
  }

  look(path: LocalPath): PathState {
    const pathState = this.plain.look(path);
    if (pathState.kind !== "file") return pathState;
    const readOutcome = this.read(path);
    return readOutcome.kind === "done"
      ? { kind: "file", digest: readOutcome.value.digest, stamp: readOutcome.value.stamp }
      : pathState;
  }

  useOf(path: LocalPath): FileUse {
    return this.plain.useOf(path);
  }

  toLocalForm(path: LocalPath, text: string): string {
    return this.#forms.toLocalForm(path, text);
  }

  toServiceForm(path: LocalPath, localText: string): string {
    return this.#forms.peek(path, { text: localText, digest: digestOf(localText) }).text;
  }

  read(path: LocalPath): DiskOutcome<LocalText> {
    const readOutcome = this.plain.read(path);
    return readOutcome.kind === "done" ? { ...readOutcome, value: this.#inForm(path, readOutcome.value) } : readOutcome;
  }

  #inForm(path: LocalPath, bytes: LocalText): LocalText {
    return { ...bytes, ...this.#forms.peek(path, bytes) };
  }

  create(path: LocalPath, text: string): DiskOutcome<WrittenStamp> {
    return this.plain.create(path, this.#spelled(path, text));
  }

  #spelled(path: LocalPath, text: string, current?: DigestedText): string {
    return this.#forms.mayLink(text) ? this.#forms.toDisk(path, { text, digest: digestOf(text) }, current).text : text;
  }

  replace(path: LocalPath, text: string, expect: Digest, setAsideAt: string): DiskOutcome<WrittenStamp> {
    const currentBytes = this.#find(path, expect);
    if (currentBytes.kind !== "done") return currentBytes;
    // ORDER: the spelling of the old bytes, which are set aside, is stored before that of the new
    // bytes. If the process is killed between the two, mdmirror still knows which content the
    // set-aside bytes represent.
    this.#forms.known.recordSettingAside(path, currentBytes.value.digest, setAsideAt);
    const newText = this.#spelled(path, text, currentBytes.value);
    // The file already has the new bytes. Only the content that these bytes represent is new.
    if (newText === currentBytes.value.text) return { kind: "done", value: { stamp: currentBytes.value.stamp } };
    return this.replaceBytes(path, newText, currentBytes.value.digest, setAsideAt);
  }

  /**
   * Finds the bytes of a file that represent `expect`.
   * RACE: a program may change the file between this read and the use of the bytes.
   */
  #find(path: LocalPath, expect: Digest): DiskOutcome<LocalText> {
    const bytes = this.plain.read(path);
    if (bytes.kind !== "done") return bytes;
    return this.#inForm(path, bytes.value).digest === expect ? bytes : { kind: "stale", detail: FILE_CHANGED_DETAIL };
  }

  move(from: LocalPath, to: LocalPath, expect: Digest | null): DiskOutcome<WrittenStamp> {
    const currentBytes = expect === null ? null : this.#find(from, expect);
    if (currentBytes !== null && currentBytes.kind !== "done") return currentBytes;
    return this.plain.move(from, to, currentBytes?.value.digest ?? null);
  }

  trash(path: LocalPath, expect: Digest, trashPath: string): DiskOutcome<null> {
    const currentBytes = this.#find(path, expect);
    if (currentBytes.kind === "stale") return currentBytes;
    // For a file that is not text, `expect` is the digest of its bytes.
    if (currentBytes.kind !== "done") return this.plain.trash(path, expect, trashPath);
    this.#forms.known.recordSettingAside(path, currentBytes.value.digest, trashPath);
    return this.plain.trash(path, currentBytes.value.digest, trashPath);
  }

  readSetAside(setAsideAt: string, path: LocalPath): DiskOutcome<LocalText | null> {
    const readOutcome = this.plain.readSetAside(setAsideAt, path);
    if (readOutcome.kind !== "done" || readOutcome.value === null) return readOutcome;
    return {
      ...readOutcome,
      value: { ...readOutcome.value, ...this.#forms.ofSetAside(setAsideAt, path, readOutcome.value) },
    };
  }

  /**
   * Replaces the bytes of a file. The caller must have stored the spelling of the new bytes.
   * @param expect digest of the current bytes; a file with other bytes is not replaced
   */
  replaceBytes(path: LocalPath, text: string, expect: Digest, setAsideAt: string): DiskOutcome<WrittenStamp> {
    const diskOutcome = this.plain.replace(path, text, expect, setAsideAt);
    if (diskOutcome.kind !== "done" && !diskOutcome.isSetAside) this.#forms.known.recordUnwritten(path, expect);
    return diskOutcome;
  }

  putBack(...[setAsideAt, path]: Parameters<Disk["putBack"]>): ReturnType<Disk["putBack"]> {
    const diskOutcome = this.plain.putBack(setAsideAt, path);
    if (diskOutcome.kind === "done") this.#forms.known.recordPuttingBack(setAsideAt, path);
    return diskOutcome;
  }

  /**
   * Finds link targets that were unknown during the scan, by the paths that the match finds for
   * documents.
   * @param isListed true if the listing of the service is complete
   * @returns the local tree. If a file was replaced since the scan, or can no longer be read, no
   * file counts as absent in this tree
   */
  resolveNew(trees: Trees, matching: MatchInput, onText: StoreContent, isListed: boolean): LocalTree {
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
   * Finds the targets of links again in two kinds of files:
   * - files with a link that had no target and has a target now,
   * - edited files with a link whose target is gone.
   *
   * Leaves out documents that are blocked, protected or in conflict. Otherwise mdmirror would send
   * the changed link with the document's other changes, although the user did not change the link.
   * mdmirror reads these documents again after their next edit.
   * @param spellings all spellings, the newest first
   */
  resolveAgain(trees: Trees, spellings: readonly Spelling[], matching: MatchInput, onText: StoreContent): LocalTree {
    const { local } = trees;
    if (spellings.length === 0) return local;
    const placesByTime = this.#match(trees, matching, true);
    const waitingPaths = findWaitingPaths(trees);
    const changedFiles = new Map<LocalPath, LocalFile | null>();
    const isOfContent = ({ path, text }: Spelling): boolean => local.files.get(path)?.digest === text;
    // The first spelling of the file's content is that of the file's bytes. In older ones, links
    // still have the former paths of their targets, where another document may be now.
    for (const spelling of firstOfEachPath(spellings.filter(isOfContent))) {
      if (!mustReadAgain(spelling, trees, waitingPaths, placesByTime.now)) continue;
      const { path } = spelling;
      const file = local.files.get(path)!;
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
   * Reads a scanned file. Returns the file with links by id.
   * @param byCurrentPaths true to find link targets by the current paths only, even if the state
   * knows the content of the bytes
   * @returns null if the file cannot be read, is not text, or was replaced after the scan
   */
  #readFile(file: LocalFile, where: PlacesByTime, onText: StoreContent, byCurrentPaths: boolean): LocalFile | null {
    const { hasUnresolvedLinks, bytes: _, ...plain } = file;
    const { path } = file;
    const bytes = this.plain.read(path);
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

  readonly identify: Disk["identify"] = () => this.plain.identify();
  readonly names: Disk["names"] = () => this.plain.names();
  readonly shareFolders: Disk["shareFolders"] = (work) => this.plain.shareFolders(work);
  readonly moveFolder: Disk["moveFolder"] = (...move) => this.plain.moveFolder(...move);
  readonly makeFolder: Disk["makeFolder"] = (path) => this.plain.makeFolder(path);
  readonly removeFolder: Disk["removeFolder"] = (...folder) => this.plain.removeFolder(...folder);
  readonly isOpenElsewhere: Disk["isOpenElsewhere"] = (setAsideAt) => this.plain.isOpenElsewhere(setAsideAt);
  readonly removeSetAside: Disk["removeSetAside"] = (setAsideAt) => this.plain.removeSetAside(setAsideAt);
  readonly sweep: Disk["sweep"] = (keep) => this.plain.sweep(keep);
  readonly flush: Disk["flush"] = (paths) => this.plain.flush(paths);
  readonly flushAll: Disk["flushAll"] = () => this.plain.flushAll();
}

function isSameFile(a: LocalFile | undefined, b: LocalFile | undefined): boolean {
  if (a === b) return true;
  if (a === undefined || b === undefined || a.digest !== b.digest) return false;
  return isSameStamp(a.stamp, b.stamp);
}

function mustReadAgain(
  { path, text, leads }: Spelling,
  { base, remote }: Trees,
  waiting: ReadonlySet<LocalPath>,
  now: LinkPlaces,
): boolean {
  const id = now.docAt(path);
  // A link in the file has a target now. Such a link alone is no reason to upload a document that
  // is missing on the service.
  // LIMIT: if the process is killed after this read, and the document is then deleted on the
  // service, the next cycle uploads it, because the content already differs from base's.
  if (hasNewTarget(leads, now)) return !waiting.has(path) && (id === null || remote.files.has(id));
  if (!hasGoneTarget(leads, now)) return false;
  const record = id === null ? undefined : base.records.get(id);
  if (record === undefined) return true;
  // Without an edit, the content stays equal to base's, even if link targets are gone.
  if (record.localDigest === text || record.digest === text) return false;
  return !waiting.has(path) || base.blocks.get(record.id)?.reason === "refused";
}

/**
 * Returns the local paths of documents whose links must not change: protected, in review, in
 * conflict or blocked documents.
 */
function findWaitingPaths({ base: { records, blocks, conflicts }, remote }: Trees): ReadonlySet<LocalPath> {
  const waitingPaths = new Set<LocalPath>();
  for (const record of records.values()) {
    const block = blocks.get(record.id);
    // The service may have protected the document since the record was written.
    const isProtected = remote.files.get(record.id)?.protected ?? record.protected;
    // Only a block after a refusal prevents changes of links. The next plan decides about other
    // blocks after the links are read.
    const isBlocked = block !== undefined && isRememberedBlock(block);
    if (isProtected || record.submissions.length > 0 || isBlocked || conflicts.has(record.id))
      waitingPaths.add(block?.path ?? record.localPath);
  }
  return waitingPaths;
}

/**
 * Returns the tree with the changed files. If a changed file is null, it was replaced or could not
 * be read, and no file counts as absent.
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

function makeBytesField(bytes: Digest, text: Digest): Pick<LocalFile, "bytes"> {
  return bytes === text ? {} : { bytes };
}

function findTextFault(text: string): LocalFile["textFault"] {
  if (text.includes("\0")) return "contains-nul";
  return countCharacters(text) > MAX_CONTENT_CHARACTERS ? "too-large" : null;
}
