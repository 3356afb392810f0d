import { digestOf } from "../../contract/digest.ts";
import type { DiskNames, LocalPath } from "../../contract/path.ts";
import type { Disk, DiskOutcome, LocalText, PathState, RootIdentity, WrittenStamp } from "../ports/disk.ts";
import type { Fs } from "../ports/fs.ts";
import type { Random } from "../../common/random.ts";
import type { LocalTree } from "../model/tree.ts";
import { type ProcessProbe, SYSTEM_PROCESS_PROBE, readFileUse } from "./editor-locks.ts";
import { OpenFiles } from "./open-files.ts";
import { flushDisk, flushPaths } from "./flush.ts";
import { learnNames } from "./disk-names.ts";
import { type FolderName, listFolderNames, readStampAt, whyUnsynced } from "./folder-names.ts";
import type { RecordedPathSource } from "./ignore.ts";
import { RootGuard } from "./root-guard.ts";
import { readMarker } from "./marker.ts";
import { makeFolder, moveFile, moveFolder, removeFolder, trashFile } from "./move.ts";
import {
  removeSetAside,
  isOpenToWrite,
  putBackSetAside,
  readSetAside,
  readTextAt,
  sweepTempFiles,
} from "./set-aside.ts";
import { type WalkOptions, walkTree } from "./walk.ts";
import { rescanFiles } from "./rescan-files.ts";
import { createFile, replaceFile, saveBesideDaemon, NO_FILE_ERRORS } from "./write.ts";
import { attemptEffect, readErrno, describeErrno, staleOutcome, nullOnErrno } from "./errno.ts";
import { toStamp } from "./stamp.ts";

type DiskOptions = {
  readonly random: Random;
  readonly ignore?: readonly string[];
  /** Folders that are synced. Undefined or an empty list: all folders. */
  readonly folders?: readonly LocalPath[];
  /**
   * Function that returns the paths that are synced even if a `.gitignore` file excludes them. Null
   * (default): `.gitignore` files have no effect.
   */
  readonly gitignore?: RecordedPathSource | null;
  /**
   * False if a scan must write nothing (I23: dry runs). Otherwise, a scan may write a small file to
   * learn the time of the disk's clock. Default: true.
   */
  readonly probes?: boolean;
  readonly partSize?: number;
  readonly processProbe?: ProcessProbe;
};

export class LocalDisk implements Disk {
  readonly #guard: RootGuard;
  readonly #options: WalkOptions;
  readonly #processProbe: ProcessProbe;
  readonly #openFiles: OpenFiles;
  #areNamesKnown = false;

  /**
   * @param root absolute path of the linked folder. The folder need not exist yet, and the path may
   * contain symlinks
   */
  constructor(fs: Fs, root: string, options: DiskOptions) {
    const { random, probes = true, ignore = [], folders = [], gitignore = null, partSize = 256 } = options;
    this.#guard = new RootGuard(fs, root, random);
    this.#options = { probes, ignore, folders, gitignore, partSize };
    this.#processProbe = options.processProbe ?? SYSTEM_PROCESS_PROBE;
    this.#openFiles = new OpenFiles(fs);
  }

  identify(): RootIdentity | null {
    const root = this.#guard.identify();
    if (root === null) return null;
    const { dev, ino, birthMs } = root.stat;
    return { dev, ino, birthMs, markerId: readMarker(this.#guard.fs, root.realPath) };
  }

  names(): DiskNames {
    if (!this.#areNamesKnown) {
      const learn = (guard: RootGuard) => learnNames(guard, this.#options.probes);
      this.#guard.learnNames(this.#effect(learn));
      this.#areNamesKnown = true;
    }
    return this.#guard.names();
  }

  walk(...args: Parameters<Disk["walk"]>): LocalTree {
    const parts = this.walkInParts(...args);
    for (;;) {
      const part = parts.next();
      if (part.done === true) return part.value;
    }
  }

  walkInParts(...args: Parameters<Disk["walk"]>): Generator<void, LocalTree> {
    this.names();
    return walkTree(this.#guard, this.#options, ...args);
  }

  readonly scanFiles: Disk["scanFiles"] = (...args) => rescanFiles(this.#guard, ...args);
  readonly look: Disk["look"] = (path) => this.#effect((guard) => readPathState(guard, path));
  readonly useOf: Disk["useOf"] = (path) => this.#effect((guard) => readFileUse(guard, path, this.#processProbe));
  readonly shareFolders: Disk["shareFolders"] = (work) => this.#guard.withFoldersOpen(work);
  readonly read: Disk["read"] = (path) => this.#effect((guard) => readText(guard, path));

  readonly create: Disk["create"] = (path, text) => this.#change((guard) => createFile(guard, path, text));
  readonly trash: Disk["trash"] = (...args) => this.#change((guard) => trashFile(guard, ...args));
  readonly makeFolder: Disk["makeFolder"] = (path) => this.#change((guard) => makeFolder(guard, path));
  readonly removeFolder: Disk["removeFolder"] = (...args) => this.#change((guard) => removeFolder(guard, ...args));

  readonly replace: Disk["replace"] = (...args) => this.#change((guard) => replaceFile(guard, ...args));
  readonly move: Disk["move"] = (...args) => this.#change((guard) => moveFile(guard, ...args));
  readonly moveFolder: Disk["moveFolder"] = (from, to) => this.#change((guard) => moveFolder(guard, from, to));

  readonly readSetAside: Disk["readSetAside"] = (setAsideAt) =>
    this.#effect((guard) => readSetAside(guard, setAsideAt));
  readonly putBack: Disk["putBack"] = (setAsideAt, path) =>
    this.#change((guard) => putBackSetAside(guard, setAsideAt, path));
  readonly isOpenElsewhere: Disk["isOpenElsewhere"] = (setAsideAt) =>
    this.#effect((guard) => isOpenToWrite(guard, setAsideAt, this.#openFiles));
  readonly removeSetAside: Disk["removeSetAside"] = (setAsideAt) =>
    this.#effect((guard) => removeSetAside(guard, setAsideAt));
  readonly sweep: Disk["sweep"] = (keep) => this.#change((guard) => sweepTempFiles(guard, keep));

  readonly flush: Disk["flush"] = (paths) => flushPaths(this.#guard, paths);
  readonly flushAll: Disk["flushAll"] = () => flushDisk(this.#guard);

  /**
   * Replaces a file as an editor does, without the journal, because a daemon has the folder's lock.
   */
  saveOver(...args: Parameters<Disk["replace"]>): DiskOutcome<WrittenStamp> {
    return this.#change((guard) => saveBesideDaemon(guard, ...args));
  }

  whyUnsyncedAt(path: LocalPath): ReturnType<typeof whyUnsynced> {
    this.names();
    return whyUnsynced(this.#guard, this.#options, path);
  }

  namesIn(folder: LocalPath): readonly FolderName[] | null {
    this.names();
    return listFolderNames(this.#guard, this.#options, folder);
  }

  stampAt(path: LocalPath): ReturnType<typeof readStampAt> {
    return readStampAt(this.#guard, path);
  }

  #change<T>(work: (guard: RootGuard) => T): T {
    this.names();
    // Other programs may have opened or closed files since the list of open files was read, so the
    // list is dropped.
    this.#openFiles.forget();
    return this.#effect(work);
  }

  #effect<T>(work: (guard: RootGuard) => T): T {
    return this.#guard.withFoldersOpen(() => work(this.#guard));
  }
}

/**
 * Returns what is at a path. `absent` means that nothing is at the path for certain. If anything
 * prevents the check, the result is `unknown` (I04).
 */
function readPathState(guard: RootGuard, path: LocalPath): PathState {
  try {
    const place = guard.place(path, "file");
    if (!place.ok) return place.absent ? { kind: "absent" } : { kind: "unknown", why: place.outcome.detail };
    const stat = nullOnErrno(["ENOENT"], () => guard.fs.lstat(place.abs));
    if (stat === null) return { kind: "absent" };
    if (stat.kind === "folder") return { kind: "folder", dev: stat.dev, ino: stat.ino, birthMs: stat.birthMs };
    if (stat.kind !== "file") return { kind: "other" };
    const readResult = guard.fs.readFile(place.abs);
    return { kind: "file", digest: digestOf(readResult.bytes), stamp: toStamp(readResult.stat) };
  } catch (error) {
    const errno = readErrno(error);
    if (errno === null) throw error;
    return { kind: "unknown", why: describeErrno(errno) };
  }
}

function readText(guard: RootGuard, path: LocalPath): DiskOutcome<LocalText> {
  return attemptEffect(path, () => {
    const place = guard.place(path, "file");
    if (!place.ok) return place.outcome;
    return readTextAt(guard, place.abs, path, NO_FILE_ERRORS) ?? staleOutcome("no file is at this path now");
  });
}
