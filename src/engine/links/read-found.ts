import type { DocId } from "../../contract/ids.ts";
import { countCharacters, MAX_CONTENT_CHARACTERS } from "../../contract/limits.ts";
import { withValues } from "../../model/borrowed-map.ts";
import { sameInodeAndBirth, type Stamp } from "../../model/link.ts";
import { once } from "../../model/once.ts";
import type { LocalPath } from "../../model/path.ts";
import { unreadable } from "../../model/seen.ts";
import type { Spelling } from "../../model/spelling.ts";
import type { BaseTree, LocalFile, LocalTree, Trees } from "../../model/tree.ts";
import type { Disk, OnText } from "../../ports/disk.ts";
import type { State } from "../../ports/state.ts";
import { leadsSomewhereNew, leadsToGone } from "./astray.ts";
import { likest } from "./earlier.ts";
import type { Form, LinkForms, Where } from "./forms.ts";
import { LinkPlaces } from "./places.ts";
import { placesSeen } from "./places-seen.ts";

/** Reads the files of a walk that hold links, in the service's form. */
export class FoundReader {
  readonly #plain: Pick<Disk, "read">;
  readonly #forms: LinkForms;
  readonly #state: Pick<State, "load" | "spellings">;

  constructor(plain: Pick<Disk, "read">, forms: LinkForms, state: Pick<State, "load" | "spellings">) {
    this.#plain = plain;
    this.#forms = forms;
    this.#state = state;
  }

  /**
   * Reads files of which the plain walk gives the digests of the bytes.
   * @returns null where one of them is not there any more, or another file is: what the walk saw is
   * not what is there, and a document may be where nobody looked
   */
  readAll(tree: LocalTree, found: ReadonlySet<LocalPath>, onText: OnText): LocalTree | null {
    const { files, missed } = this.#read(tree, found, onText);
    return missed.size > 0 ? null : files === tree.files ? tree : { ...tree, files };
  }

  /** The same of a folder that does not come to rest: nothing counts as absent. */
  readSome(tree: LocalTree, found: ReadonlySet<LocalPath>, onText: OnText): LocalTree {
    const { files, missed } = this.#read(tree, found, onText);
    if (missed.size === 0) return { ...tree, files };
    const unseen = new Map(tree.unseen).set("", unreadable("its files keep changing places"));
    return { ...tree, files: new Map([...files].filter(([path]) => !missed.has(path))), unseen };
  }

  #read(
    tree: LocalTree,
    found: ReadonlySet<LocalPath>,
    onText: OnText,
  ): { readonly files: LocalTree["files"]; readonly missed: ReadonlySet<LocalPath> } {
    const missed = new Set<LocalPath>();
    if (found.size === 0) return { files: tree.files, missed };
    const base = this.#state.load();
    const { scope } = this.#forms;
    const where = { now: placesSeen(base, tree, null, scope), before: new LinkPlaces(base, scope) };
    this.#findLost(where, tree, found);
    const changed = new Map<LocalPath, LocalFile>();
    for (const path of found) {
      // The walk has read a folder again, and it was not there any more.
      const file = tree.files.get(path);
      if (file === undefined) continue;
      const read = this.readFile(file, where, onText, false);
      if (read === null) missed.add(path);
      else changed.set(path, read);
    }
    return { files: withValues(tree.files, changed), missed };
  }

  /**
   * Finds documents that were moved, as files that are not known by inode: saved as new ones, or
   * written by us before a power cut. By their bytes, else by what their links say.
   */
  #findLost({ now, before }: Where, { files }: LocalTree, found: Iterable<LocalPath>): void {
    const isLost = (id: string | null) => id !== null && !isPresent(id, now, files);
    const lost = once(() =>
      this.#state.spellings.all().filter(({ path, id }) => {
        const there = before.idAt(path);
        return isLost(there) && (id === null || id === there);
      }),
    );
    for (const path of found) {
      if (!now.isUnlinked(path) || lost().length === 0) continue;
      const bytes = this.#plain.read(path);
      if (bytes.kind !== "done") continue;
      const { text, digest } = bytes.value;
      const likes = lost().find((one) => one.bytes === digest) ?? likest(lost(), text, this.#forms.scope);
      const id = likes === null ? null : before.idAt(likes.path);
      if (id !== null && isLost(id)) now.set(id, path);
    }
  }

  /**
   * Reads files again of which a link led nowhere, where its target is there by now, and edited
   * ones of which a link leads to what is gone. A document that is held, protected or in conflict
   * waits for its next edit: nobody asked for this one.
   */
  readAgain({ base, local, remote }: Trees, onText: OnText): LocalTree {
    const spellings = this.#state.spellings.all();
    if (spellings.length === 0) return local;
    const { scope } = this.#forms;
    this.#forms.where().now.listed(remote);
    const where = { now: placesSeen(base, local, remote, scope), before: new LinkPlaces(base, scope) };
    this.#findLost(
      where,
      local,
      spellings.map(({ path }) => path),
    );
    const waits = waitingPaths(base);
    const changed = new Map<LocalPath, LocalFile>();
    for (const spelling of spellings) {
      const { path, text } = spelling;
      if (!isToBeReadAgain(spelling, base, waits, where.now)) continue;
      const file = local.files.get(path);
      if (file === undefined || file.digest !== text) continue;
      const read = this.readFile(file, where, onText, true);
      if (read !== null && read.digest !== file.digest) changed.set(path, { ...read, stampTrusted: false });
    }
    return changed.size === 0 ? local : { ...local, files: withValues(local.files, changed) };
  }

  /**
   * Reads a file of a walk in the service's form.
   * @param anew by what is where now, whatever its bytes stood for
   * @returns null where it cannot be read, holds no text, or is another file by now
   */
  readFile(file: LocalFile, where: Where, onText: OnText, anew: boolean): LocalFile | null {
    const { path } = file;
    const bytes = this.#plain.read(path);
    if (bytes.kind !== "done" || !sameInodeAndBirth(bytes.value.stamp, file.stamp)) return null;
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
}

function isToBeReadAgain(
  { path, text, leads }: Spelling,
  base: BaseTree,
  waits: ReadonlySet<LocalPath>,
  now: LinkPlaces,
): boolean {
  if (leadsSomewhereNew(leads, now)) return !waits.has(path);
  if (!leadsToGone(leads, now)) return false;
  const link = base.links.get(now.idAt(path) as DocId);
  if (link === undefined) return true;
  // A text that nobody edited stays base's, whatever is gone since.
  if (link.localDigest === text || link.digest === text) return false;
  return !waits.has(path) || base.holds.get(link.id)?.reason === "refused";
}

/** Documents of which no text is to be sent that nobody wrote. */
function waitingPaths({ links, holds, conflicts }: BaseTree): ReadonlySet<LocalPath> {
  const waits = new Set<LocalPath>();
  for (const link of links.values())
    if (link.protected || link.submissions.length > 0 || holds.has(link.id) || conflicts.has(link.id))
      waits.add(holds.get(link.id)?.path ?? link.localPath);
  return waits;
}

/** Whether a file is where a document is, as far as the walk tells. */
function isPresent(id: string, now: LinkPlaces, files: LocalTree["files"]): boolean {
  const path = now.pathOf(id);
  return path !== null && now.idAt(path) === id && files.has(path);
}

export function isSameStamp(a: Stamp, b: Stamp): boolean {
  return a.ino === b.ino && a.ctimeMs === b.ctimeMs && a.mtimeMs === b.mtimeMs && a.size === b.size;
}

function bytesOf(bytes: Form, form: Form): Pick<LocalFile, "bytes"> {
  return bytes.digest === form.digest ? {} : { bytes: bytes.digest };
}

function faultOf(text: string): LocalFile["textFault"] {
  if (text.includes("\0")) return "holds-nul";
  return countCharacters(text) > MAX_CONTENT_CHARACTERS ? "too-large" : null;
}
