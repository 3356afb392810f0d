import { digestOf } from "../model/digest.ts";
import type { DiskFolding, LocalPath } from "../model/path.ts";
import type { Disk, DiskOutcome, Fs, LocalText, Look } from "../ports/disk.ts";
import type { Random } from "../ports/world.ts";
import type { LocalTree } from "../model/tree.ts";
import { attempt, done, errnoOf, errnoText, fault, stale, unless } from "./errno.ts";
import { flushDisk, flushPaths } from "./flush.ts";
import { learnFolding } from "./folding.ts";
import { createGround, type Ground } from "./ground.ts";
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
  const ground = createGround(fs, root, options.random);
  const probe = options.probe ?? true;
  let learned: DiskFolding | null = null;

  /** Learned once, at the first need. */
  function folding(): DiskFolding {
    if (learned === null) {
      learned = ground.during(() => learnFolding(ground, probe));
      ground.learnFolding(learned);
    }
    return learned;
  }

  function walk(...[known, onText]: Parameters<Disk["walk"]>): Generator<void, LocalTree> {
    folding();
    return walkTree(ground, { probe, ignore: options.ignore ?? [], part: options.part ?? 256 }, known, onText);
  }

  return {
    identify() {
      const found = ground.identify();
      if (found === null) return null;
      const { dev, ino, birthMs } = found.stat;
      return { dev, ino, birthMs, markerId: readMarker(fs, found.real) };
    },
    folding,
    walk: (known, onText) => toEnd(walk(known, onText)),
    walkInParts: walk,
    lookAtFiles: (tree, paths, onText, elsewhere) => lookAtFiles(ground, tree, paths, onText, elsewhere),
    look: (path) => ground.during(() => look(ground, path)),
    read: (path) => ground.during(() => readText(ground, path)),
    create: (path, text) => ground.during(() => createFile(ground, path, text)),
    createAll: (files) => ground.during(() => files.map(({ path, text }) => createFile(ground, path, text))),
    replace: (path, text, expect, parkAt) => ground.during(() => replaceFile(ground, path, text, expect, parkAt)),
    move(from, to, expect) {
      folding();
      return ground.during(() => moveFile(ground, from, to, expect));
    },
    trash: (path, expect, trashPath) => ground.during(() => trashFile(ground, path, expect, trashPath)),
    makeFolder: (path) => ground.during(() => makeFolder(ground, path)),
    moveFolder(from, to) {
      folding();
      return ground.during(() => moveFolder(ground, from, to));
    },
    removeFolder: (path, trashPath) => ground.during(() => removeFolder(ground, path, trashPath)),
    readParked: (parkAt) => ground.during(() => readParked(ground, parkAt)),
    putBack: (parkAt, path) => ground.during(() => putBack(ground, parkAt, path)),
    discardParked: (parkAt) => ground.during(() => discardParked(ground, parkAt)),
    listParked: () => ground.during(() => listParked(ground)),
    listTrashed: () => ground.during(() => listTrashed(ground)),
    sweep: (keep) => ground.during(() => sweep(ground, keep)),
    flush: (paths) => flushPaths(ground, paths),
    flushAll: () => flushDisk(ground),
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
function look(ground: Ground, path: LocalPath): Look {
  try {
    const place = ground.place(path, "file");
    if (!place.ok) return place.absent ? { kind: "absent" } : { kind: "unknown", why: place.outcome.detail };
    const stat = unless(["ENOENT"], () => ground.fs.lstat(place.abs));
    if (stat === null) return { kind: "absent" };
    if (stat.kind === "folder") return { kind: "folder", dev: stat.dev, ino: stat.ino, birthMs: stat.birthMs };
    if (stat.kind !== "file") return { kind: "other" };
    const found = ground.fs.readFile(place.abs);
    return { kind: "file", digest: digestOf(found.bytes), stamp: stampOf(found.stat) };
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === null) throw error;
    return { kind: "unknown", why: errnoText(errno) };
  }
}

function readText(ground: Ground, path: LocalPath): DiskOutcome<LocalText> {
  return attempt(path, () => {
    const place = ground.place(path, "file");
    if (!place.ok) return place.outcome;
    const found = unless(NO_FILE, () => ground.fs.readFile(place.abs));
    if (found === null) return stale("no file is at this path now");
    const { text } = decodeText(found.bytes);
    if (text === null) return fault("EILSEQ", `${path}: ${errnoText("EILSEQ")}`);
    return done({ text, digest: digestOf(found.bytes), stamp: stampOf(found.stat), stampTrusted: false });
  });
}
