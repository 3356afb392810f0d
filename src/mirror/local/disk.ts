import { digestOf } from "../../contract/digest.ts";
import { type DiskFolding, type DiskNames, EXACT_DISK, type LocalPath, MAX_NAME_BYTES } from "../../contract/path.ts";
import type { Disk, DiskOutcome, Fs, LocalText, PathState, RootIdentity, WrittenStamp } from "../ports/disk.ts";
import type { Random } from "../../common/random.ts";
import type { LocalTree } from "../model/tree.ts";
import { type ProcessProbe, readFileUse, SYSTEM_PROCESS_PROBE } from "./editor-locks.ts";
import { OpenFiles } from "./node-fs.ts";
import { flushDisk, flushPaths } from "./flush.ts";
import { type FolderName, listFolderNames, readStampAt, whyUnsynced } from "./folder-names.ts";
import type { RecordedPathSource } from "./ignore.ts";
import { RootGuard, statOrNull } from "./root-guard.ts";
import { readMarker } from "./marker.ts";
import { makeFolder, moveFile, moveFolder, removeFolder, trashFile } from "./move.ts";
import {
  createFile,
  isOpenToWrite,
  NO_FILE_ERRORS,
  putBackSetAside,
  readSetAside,
  readTextAt,
  removeSetAside,
  replaceFile,
  saveBesideDaemon,
  sweepTempFiles,
} from "./write.ts";
import { rescanFiles, type WalkOptions, walkTree } from "./walk.ts";
import {
  attemptCall,
  attemptEffect,
  describeErrno,
  nullOnAnyErrno,
  nullOnErrno,
  readErrno,
  staleOutcome,
  toStamp,
} from "./results.ts";
import { MIRROR_FOLDER } from "../model/mirror-folder.ts";
import { makeTempPath, removeTempFile, TEMP_PREFIX } from "./names.ts";

type DiskOptions = {
  readonly random: Random;
  readonly ignore?: readonly string[];
  /** Folders that are synced; undefined or an empty list for all folders. */
  readonly folders?: readonly LocalPath[];
  /**
   * Function that returns the paths that are synced even if a `.gitignore` file excludes them. Null
   * (default): `.gitignore` files have no effect.
   */
  readonly gitignore?: RecordedPathSource | null;
  /**
   * False if a scan must write nothing (I23: dry runs). Otherwise, a scan may write a small file,
   * because the time of that file shows the disk's clock. Default: true.
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
   * @param root absolute path of the linked folder. The folder may be missing, and the path may
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
    const [known = () => null, onText = () => undefined, leftOut] = args;
    this.names();
    return walkTree(this.#guard, this.#options, known, onText, leftOut);
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
    // The list of open files may be out of date, because other programs may have opened or closed
    // files since.
    this.#openFiles.forget();
    return this.#effect(work);
  }

  #effect<T>(work: (guard: RootGuard) => T): T {
    return this.#guard.withFoldersOpen(() => work(this.#guard));
  }
}

/**
 * Returns what is at a path. `absent` means that certainly nothing is at the path. If the check is
 * impossible, returns `unknown` (I04).
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

function learnNames(guard: RootGuard, mayWrite: boolean): DiskNames {
  return { ...learnFolding(guard, mayWrite), maxNameBytes: learnNameLimit(guard) };
}

/**
 * Learns which names the disk treats as equal: makes a file, then reads the file under other
 * spellings. A test is needed, because disks of one type can be configured differently. Inode
 * numbers are not compared, because some FUSE disks give each spelling its own inode number.
 * ASSUMES: `.mdmirror/tmp` treats names as the linked folder does. On disks where each folder has
 * its own rule (ext4, NTFS), new folders inherit the rule.
 * @param mayWrite false if nothing may be written (a dry run); then the result is a guess
 */
function learnFolding(guard: RootGuard, mayWrite: boolean): DiskFolding {
  if (!mayWrite) return guessFolding(guard);
  const learnedFolding = nullOnAnyErrno(() => {
    const probe = makeTempPath(guard, `${TEMP_PREFIX}probe-\u00e9-`);
    guard.fs.writeNew(probe, new Uint8Array(), null, false);
    const slash = probe.lastIndexOf("/") + 1;
    const [folder, name] = [probe.slice(0, slash), probe.slice(slash)];
    const foldsCase = statOrNull(guard.fs, folder + name.replace("probe", "PROBE")) !== null;
    const foldsUnicode = statOrNull(guard.fs, folder + name.normalize("NFD")) !== null;
    removeTempFile(guard, probe);
    return { foldsCase, foldsUnicode };
  });
  return learnedFolding ?? guessFolding(guard);
}

/**
 * Guesses which names the disk treats as equal: reads the folder `.mdmirror` under its name in
 * capitals. If the read works, and the root has no entry with the name in capitals, the disk
 * ignores case, and perhaps differences between Unicode forms.
 */
function guessFolding(guard: RootGuard): DiskFolding {
  const root = guard.root()?.realPath;
  const nameInCapitals = MIRROR_FOLDER.toUpperCase();
  const isFolding = nullOnAnyErrno(() => {
    if (root === undefined || statOrNull(guard.fs, `${root}/${nameInCapitals}`) === null) return false;
    return !guard.fs.readdir(root).some(({ name }) => name === nameInCapitals);
  });
  return isFolding === true ? { foldsCase: true, foldsUnicode: true } : EXACT_DISK;
}

/**
 * Returns the number of bytes of the longest name that the disk allows, such as 143 on eCryptfs.
 * Makes no file: tries to read the stat of names of several lengths.
 */
function learnNameLimit(guard: RootGuard): number {
  const root = guard.root()?.realPath;
  if (root === undefined || !isTooLong(guard, `${root}/${"x".repeat(MAX_NAME_BYTES)}`)) return MAX_NAME_BYTES;
  let [longest, tooLong] = [0, MAX_NAME_BYTES];
  while (tooLong - longest > 1) {
    const bytes = Math.floor((longest + tooLong) / 2);
    if (isTooLong(guard, `${root}/${"x".repeat(bytes)}`)) tooLong = bytes;
    else longest = bytes;
  }
  return longest;
}

function isTooLong(guard: RootGuard, path: string): boolean {
  const statResult = attemptCall(() => guard.fs.lstat(path));
  return "errno" in statResult && statResult.errno === "ENAMETOOLONG";
}
