import { type DiskFolding, type DiskNames, EXACT_DISK, MAX_NAME_BYTES } from "../../contract/path.ts";
import { anyErrno, attemptCall } from "./errno.ts";
import { type RootGuard, statOrNull } from "./root-guard.ts";
import { MIRROR_FOLDER } from "../model/mirror-folder.ts";
import { freshName, TEMP_PREFIX, unlinkLeftover } from "./names.ts";

/** Learns the properties of names on the disk under the root. */
export function learnNames(guard: RootGuard, mayWrite: boolean): DiskNames {
  return { ...learnFolding(guard, mayWrite), maxNameBytes: learnNameLimit(guard) };
}

/**
 * Learns which names the disk treats as one, by making a file and reading it under other spellings.
 * Platform and type of file system prove nothing. Inode numbers are not compared, because some FUSE
 * disks number each spelling separately. ASSUMES: `.mdmirror/tmp` folds as the tree does. New
 * folders inherit case folding where it is set for each folder (ext4, NTFS).
 * @param mayWrite false if nothing may be written (a dry run); an unknown property then counts as
 * folding, which can only block more
 */
function learnFolding(guard: RootGuard, mayWrite: boolean): DiskFolding {
  if (!mayWrite) return guessFolding(guard);
  const learned = anyErrno(() => {
    const probe = freshName(guard, `${TEMP_PREFIX}probe-\u00e9-`);
    guard.fs.writeNew(probe, new Uint8Array(), null, false);
    const slash = probe.lastIndexOf("/") + 1;
    const [folder, name] = [probe.slice(0, slash), probe.slice(slash)];
    const foldsCase = statOrNull(guard.fs, folder + name.replace("probe", "PROBE")) !== null;
    const foldsUnicode = statOrNull(guard.fs, folder + name.normalize("NFD")) !== null;
    unlinkLeftover(guard, probe);
    return { foldsCase, foldsUnicode };
  });
  // If the names cannot be tested, the disk is full or read-only now.
  return learned ?? guessFolding(guard);
}

/**
 * Guesses how the disk folds names, by reading `.mdmirror` under a spelling that no entry of the
 * root has.
 */
function guessFolding(guard: RootGuard): DiskFolding {
  const root = guard.root()?.realPath;
  const other = MIRROR_FOLDER.toUpperCase();
  const isFolding = anyErrno(() => {
    if (root === undefined || statOrNull(guard.fs, `${root}/${other}`) === null) return false;
    return !guard.fs.readdir(root).some(({ name }) => name === other);
  });
  return isFolding === true ? { foldsCase: true, foldsUnicode: true } : EXACT_DISK;
}

/**
 * Learns the length of the longest name in bytes, by reading files with names of several lengths;
 * nothing is written. eCryptfs, for example, allows 143 bytes.
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
  const found = attemptCall(() => guard.fs.lstat(path));
  return "errno" in found && found.errno === "ENAMETOOLONG";
}
