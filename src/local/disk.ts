import { digestOf } from "../model/digest.ts";
import type { DiskFolding, LocalPath } from "../model/path.ts";
import type { Disk, DiskOutcome, Fs, LocalText, Look } from "../ports/disk.ts";
import type { Random } from "../ports/world.ts";
import type { LocalTree } from "../model/tree.ts";
import { attempt, done, errnoOf, errnoText, fault, stale, unless } from "./errno.ts";
import { flushDisk, flushPaths } from "./flush.ts";
import { learnFolding } from "./folding.ts";
import { createRootGuard, type RootGuard } from "./root-guard.ts";
import { readMarker } from "./marker.ts";
import { makeFolder, moveFile, moveFolder, removeFolder, trashFile } from "./move.ts";
import { discardParked, listParked, listTrashed, putBack, readParked, sweep } from "./parked.ts";
import { stampOf } from "./stamp.ts";
import { decodeText } from "./text.ts";
import { walkTree } from "./walk.ts";
import { lookAtFiles } from "./watch-look.ts";
import { createFile, NO_FILE, replaceFile } from "./write.ts";

export type DiskOptions = {
  readonly random: Random;
  /**
   * Patterns (gitignore syntax) beside those of the `.mdmirrorignore` files, which every walk reads
   * afresh. Default: none.
   */
  readonly ignore?: readonly string[];
  /** False: looks write nothing, not even a probe (I23: dry runs). Default: true. */
  readonly probe?: boolean;
  /** Entries between two pauses of a walk in parts. Default: 256, a millisecond or two. */
  readonly part?: number;
};

/**
 * @param root absolute path of the mirrored folder; it need not exist yet, and may be reached
 * through symlinks
 */
export function createDisk(fs: Fs, root: string, options: DiskOptions): Disk {
  const guard = createRootGuard(fs, root, options.random);
  const probe = options.probe ?? true;
  let learned: DiskFolding | null = null;

  /** Learned once, at the first need. */
  function folding(): DiskFolding {
    if (learned === null) {
      learned = guard.during(() => learnFolding(guard, probe));
      guard.learnFolding(learned);
    }
    return learned;
  }

  function walk(...[known, onText]: Parameters<Disk["walk"]>): Generator<void, LocalTree> {
    folding();
    return walkTree(guard, { probe, ignore: options.ignore ?? [], part: options.part ?? 256 }, known, onText);
  }

  return {
    identify() {
      const found = guard.identify();
      if (found === null) return null;
      const { dev, ino, birthMs } = found.stat;
      return { dev, ino, birthMs, markerId: readMarker(fs, found.real) };
    },
    folding,
    walk: (known, onText) => toEnd(walk(known, onText)),
    walkInParts: walk,
    lookAtFiles: (tree, paths, onText, elsewhere) => lookAtFiles(guard, tree, paths, onText, elsewhere),
    look: (path) => guard.during(() => look(guard, path)),
    read: (path) => guard.during(() => readText(guard, path)),
    create: (path, text) => guard.during(() => createFile(guard, path, text)),
    createAll: (files) => guard.during(() => files.map(({ path, text }) => createFile(guard, path, text))),
    replace: (path, text, expect, parkAt) => guard.during(() => replaceFile(guard, path, text, expect, parkAt)),
    move(from, to, expect) {
      folding();
      return guard.during(() => moveFile(guard, from, to, expect));
    },
    trash: (path, expect, trashPath) => guard.during(() => trashFile(guard, path, expect, trashPath)),
    makeFolder: (path) => guard.during(() => makeFolder(guard, path)),
    moveFolder(from, to) {
      folding();
      return guard.during(() => moveFolder(guard, from, to));
    },
    removeFolder: (path, trashPath) => guard.during(() => removeFolder(guard, path, trashPath)),
    readParked: (parkAt) => guard.during(() => readParked(guard, parkAt)),
    putBack: (parkAt, path) => guard.during(() => putBack(guard, parkAt, path)),
    discardParked: (parkAt) => guard.during(() => discardParked(guard, parkAt)),
    listParked: () => guard.during(() => listParked(guard)),
    listTrashed: () => guard.during(() => listTrashed(guard)),
    sweep: (keep) => guard.during(() => sweep(guard, keep)),
    flush: (paths) => flushPaths(guard, paths),
    flushAll: () => flushDisk(guard),
  };
}

function toEnd<T>(parts: Generator<void, T>): T {
  for (;;) {
    const part = parts.next();
    if (part.done === true) return part.value;
  }
}

/**
 * `absent` only when the root is there and the path is reached through folders alone: everything
 * else is `unknown` (I04).
 */
function look(guard: RootGuard, path: LocalPath): Look {
  try {
    const place = guard.place(path, "file");
    if (!place.ok) return place.absent ? { kind: "absent" } : { kind: "unknown", why: place.outcome.detail };
    const stat = unless(["ENOENT"], () => guard.fs.lstat(place.abs));
    if (stat === null) return { kind: "absent" };
    if (stat.kind === "folder") return { kind: "folder", dev: stat.dev, ino: stat.ino, birthMs: stat.birthMs };
    if (stat.kind !== "file") return { kind: "other" };
    const found = guard.fs.readFile(place.abs);
    return { kind: "file", digest: digestOf(found.bytes), stamp: stampOf(found.stat) };
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === null) throw error;
    return { kind: "unknown", why: errnoText(errno) };
  }
}

function readText(guard: RootGuard, path: LocalPath): DiskOutcome<LocalText> {
  return attempt(path, () => {
    const place = guard.place(path, "file");
    if (!place.ok) return place.outcome;
    const found = unless(NO_FILE, () => guard.fs.readFile(place.abs));
    if (found === null) return stale("no file is at this path now");
    const { text } = decodeText(found.bytes);
    if (text === null) return fault("EILSEQ", `${path}: ${errnoText("EILSEQ")}`);
    return done({ text, digest: digestOf(found.bytes), stamp: stampOf(found.stat), stampTrusted: false });
  });
}
