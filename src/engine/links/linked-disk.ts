import { countCharacters, MAX_CONTENT_CHARACTERS } from "../../contract/limits.ts";
import { withValues } from "../../model/borrowed-map.ts";
import { type Digest, digestOf } from "../../model/digest.ts";
import { once } from "../../model/once.ts";
import type { Stamp } from "../../model/link.ts";
import type { LocalPath } from "../../model/path.ts";
import type { LocalFile, LocalTree } from "../../model/tree.ts";
import type { Disk, DiskOutcome, FileUse, LocalText, Look, NewFile, OnText, Written } from "../../ports/disk.ts";
import type { State } from "../../ports/state.ts";
import { type Form, type LinkForms, likest, type Where } from "./forms.ts";
import { LinkPlaces, placesSeen } from "./places.ts";

const CHANGED = "the file was changed since it was looked at";

/**
 * A disk on which links are by path, as its users see them, shown in the service's form: the
 * engine reads, compares, merges and writes texts with links by id, and only here do they become
 * paths. All digests are of the service's form but in what is remembered of the bytes.
 */
export class LinkedDisk implements Disk {
  /** The disk as it is. */
  readonly plain: Disk;
  readonly #forms: LinkForms;
  readonly #state: Pick<State, "load" | "spellings">;

  constructor(plain: Disk, forms: LinkForms, state: Pick<State, "load" | "spellings">) {
    this.plain = plain;
    this.#forms = forms;
    this.#state = state;
  }

  walk(known: Parameters<Disk["walk"]>[0], onText: OnText): LocalTree {
    const found = new Set<LocalPath>();
    return this.#readFound(this.plain.walk(known, this.#withoutLinking(found, onText)), found, onText);
  }

  *walkInParts(known: Parameters<Disk["walk"]>[0], onText: OnText): Generator<void, LocalTree> {
    const found = new Set<LocalPath>();
    const tree = yield* this.plain.walkInParts(known, this.#withoutLinking(found, onText));
    return this.#readFound(tree, found, onText);
  }

  lookAtFiles(...[tree, asked, onText, elsewhere]: Parameters<Disk["lookAtFiles"]>): LocalTree | null {
    const paths = [...asked];
    const found = new Set<LocalPath>();
    const looked = this.plain.lookAtFiles(tree, paths, this.#withoutLinking(found, onText), elsewhere);
    if (looked === null || looked === tree || found.size === 0) return looked;
    const read = this.#readFound(looked, found, onText);
    return paths.every((path) => isSameFile(tree.files.get(path), read.files.get(path))) ? tree : read;
  }

  /** Texts that may link are noted by their path, and read when the walk is done. */
  #withoutLinking(found: Set<LocalPath>, onText: OnText): OnText {
    return (digest, text, path) => {
      if (this.#forms.mayLink(text)) found.add(path);
      else onText(digest, text, path);
    };
  }

  /** Reads files that hold links, of which the plain walk gives the digests of the bytes. */
  #readFound(tree: LocalTree, found: ReadonlySet<LocalPath>, onText: OnText): LocalTree {
    if (found.size === 0) return tree;
    const base = this.#state.load();
    const { scope } = this.#forms;
    const where = { now: placesSeen(base, tree, null, scope), before: new LinkPlaces(base, scope) };
    this.#findLost(where, tree, found);
    const changed = new Map<LocalPath, LocalFile>();
    for (const path of found) {
      const file = tree.files.get(path);
      const read = file === undefined ? null : this.readFile(file, where, onText, false);
      if (read !== null) changed.set(path, read);
    }
    return { ...tree, files: withValues(tree.files, changed) };
  }

  /** Finds documents that were moved and then saved as a new file, by what their links say. */
  #findLost({ now, before }: Where, { files }: LocalTree, found: ReadonlySet<LocalPath>): void {
    const isLost = (id: string | null) => id !== null && !isPresent(id, now, files);
    const lost = once(() =>
      this.#state.spellings.all().filter(({ path, id }) => {
        const there = before.idAt(path);
        return isLost(there) && (id === null || id === there);
      }),
    );
    for (const path of found) {
      if (!now.isUnlinked(path) || lost().length === 0) continue;
      const bytes = this.plain.read(path);
      const likes = bytes.kind === "done" ? likest(lost(), bytes.value.text, this.#forms.scope) : null;
      const id = likes === null ? null : before.idAt(likes.path);
      if (id !== null && isLost(id)) now.set(id, path);
    }
  }

  /**
   * Reads a file of a walk in the service's form.
   * @param anew by what is where now, whatever its bytes stood for
   * @returns null where it cannot be read, or holds no text
   */
  readFile(file: LocalFile, where: Where, onText: OnText, anew: boolean): LocalFile | null {
    const { path } = file;
    const bytes = this.plain.read(path);
    if (bytes.kind !== "done") return null;
    const { stamp } = bytes.value;
    const stampTrusted = file.stampTrusted && isSameStamp(file.stamp, stamp);
    const form = anew
      ? this.#forms.readAnew(path, bytes.value, where)
      : this.#forms.toService(path, bytes.value, where);
    onText(form.digest, form.text, path);
    return {
      ...file,
      stamp,
      stampTrusted,
      digest: form.digest,
      ...bytesOf(bytes.value, form),
      textFault: faultOf(form.text),
    };
  }

  look(path: LocalPath): Look {
    const look = this.plain.look(path);
    if (look.kind !== "file") return look;
    const read = this.read(path);
    return read.kind === "done" ? { kind: "file", digest: read.value.digest, stamp: read.value.stamp } : look;
  }

  useOf(path: LocalPath): FileUse {
    return this.plain.useOf(path);
  }

  shown(path: LocalPath, text: string): string {
    return this.#forms.shown(path, text);
  }

  meant(path: LocalPath, shown: string): string {
    return this.#forms.peek(path, { text: shown, digest: digestOf(shown) }).text;
  }

  read(path: LocalPath): DiskOutcome<LocalText> {
    const read = this.plain.read(path);
    return read.kind === "done" ? { ...read, value: this.#inForm(path, read.value) } : read;
  }

  #inForm(path: LocalPath, bytes: LocalText): LocalText {
    return { ...bytes, ...this.#forms.peek(path, bytes) };
  }

  create(path: LocalPath, text: string): DiskOutcome<Written> {
    return this.plain.create(path, this.#spelled(path, text));
  }

  createAll(files: readonly NewFile[]): ReturnType<Disk["createAll"]> {
    return this.plain.createAll(files.map(({ path, text }) => ({ path, text: this.#spelled(path, text) })));
  }

  #spelled(path: LocalPath, text: string, was?: Form): string {
    return this.#forms.mayLink(text) ? this.#forms.toDisk(path, { text, digest: digestOf(text) }, was).text : text;
  }

  replace(path: LocalPath, text: string, expect: Digest, parkAt: string): DiskOutcome<Written> {
    const found = this.#find(path, expect);
    if (found.kind !== "done") return found;
    const spelled = this.#spelled(path, text, found.value);
    // The bytes are right already: they stood for another text until now.
    if (spelled === found.value.text) return { kind: "done", value: { stamp: found.value.stamp } };
    this.#forms.parking(path, found.value.digest, parkAt);
    return this.plain.replace(path, spelled, found.value.digest, parkAt);
  }

  /** The bytes that stand for `expect`; what they are may change until they are dealt with. */
  #find(path: LocalPath, expect: Digest): DiskOutcome<LocalText> {
    const bytes = this.plain.read(path);
    if (bytes.kind !== "done") return bytes;
    return this.#inForm(path, bytes.value).digest === expect ? bytes : { kind: "stale", detail: CHANGED };
  }

  move(from: LocalPath, to: LocalPath, expect: Digest | null): DiskOutcome<Written> {
    const found = expect === null ? null : this.#find(from, expect);
    if (found !== null && found.kind !== "done") return found;
    this.#forms.moving(from, to);
    return this.plain.move(from, to, found?.value.digest ?? null);
  }

  trash(path: LocalPath, expect: Digest | null, trashPath: string): DiskOutcome<null> {
    const found = expect === null ? null : this.#find(path, expect);
    // What cannot be read as a text has the digest of its bytes.
    if (found !== null && found.kind === "stale") return found;
    if (found?.kind === "done") this.#forms.parking(path, found.value.digest, trashPath);
    return this.plain.trash(path, found?.kind === "done" ? found.value.digest : expect, trashPath);
  }

  moveFolder(from: LocalPath, to: LocalPath): DiskOutcome<null> {
    this.#forms.moving(from, to);
    return this.plain.moveFolder(from, to);
  }

  readParked(parkAt: string, path: LocalPath): DiskOutcome<LocalText | null> {
    const read = this.plain.readParked(parkAt, path);
    if (read.kind !== "done" || read.value === null) return read;
    return { ...read, value: { ...read.value, ...this.#forms.ofParked(parkAt, path, read.value) } };
  }

  /**
   * Writes a file's links anew: its bytes change, and what they stand for does not.
   * @param expect of the bytes
   */
  respell(path: LocalPath, bytes: Form, expect: Digest, parkAt: string): DiskOutcome<Written> {
    return this.plain.replace(path, bytes.text, expect, parkAt);
  }

  readonly identify: Disk["identify"] = () => this.plain.identify();
  readonly folding: Disk["folding"] = () => this.plain.folding();
  readonly makeFolder: Disk["makeFolder"] = (path) => this.plain.makeFolder(path);
  readonly removeFolder: Disk["removeFolder"] = (...folder) => this.plain.removeFolder(...folder);
  readonly putBack: Disk["putBack"] = (...place) => this.plain.putBack(...place);
  readonly discardParked: Disk["discardParked"] = (parkAt) => this.plain.discardParked(parkAt);
  readonly listParked: Disk["listParked"] = () => this.plain.listParked();
  readonly listTrashed: Disk["listTrashed"] = () => this.plain.listTrashed();
  readonly sweep: Disk["sweep"] = (keep) => this.plain.sweep(keep);
  readonly flush: Disk["flush"] = (paths) => this.plain.flush(paths);
  readonly flushAll: Disk["flushAll"] = () => this.plain.flushAll();
}

/** Whether a file is where a document is, as far as the walk tells. */
function isPresent(id: string, now: LinkPlaces, files: LocalTree["files"]): boolean {
  const path = now.pathOf(id);
  return path !== null && now.idAt(path) === id && files.has(path);
}

function isSameFile(a: LocalFile | undefined, b: LocalFile | undefined): boolean {
  if (a === b) return true;
  if (a === undefined || b === undefined || a.digest !== b.digest) return false;
  return isSameStamp(a.stamp, b.stamp);
}

function isSameStamp(a: Stamp, b: Stamp): boolean {
  return a.ino === b.ino && a.ctimeMs === b.ctimeMs && a.mtimeMs === b.mtimeMs && a.size === b.size;
}

function bytesOf(bytes: Form, form: Form): Pick<LocalFile, "bytes"> {
  return bytes.digest === form.digest ? {} : { bytes: bytes.digest };
}

function faultOf(text: string): LocalFile["textFault"] {
  if (text.includes("\0")) return "holds-nul";
  return countCharacters(text) > MAX_CONTENT_CHARACTERS ? "too-large" : null;
}
