import { type DiskFolding, type DiskNames, EXACT_DISK, MAX_NAME_BYTES } from "../../contract/path.ts";
import { nullOnAnyErrno, attemptCall } from "./errno.ts";
import { type RootGuard, statOrNull } from "./root-guard.ts";
import { MIRROR_FOLDER } from "../model/mirror-folder.ts";
import { makeTempPath, TEMP_PREFIX, removeTempFile } from "./names.ts";

export function learnNames(guard: RootGuard, mayWrite: boolean): DiskNames {
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
  const learned = nullOnAnyErrno(() => {
    const probe = makeTempPath(guard, `${TEMP_PREFIX}probe-\u00e9-`);
    guard.fs.writeNew(probe, new Uint8Array(), null, false);
    const slash = probe.lastIndexOf("/") + 1;
    const [folder, name] = [probe.slice(0, slash), probe.slice(slash)];
    const foldsCase = statOrNull(guard.fs, folder + name.replace("probe", "PROBE")) !== null;
    const foldsUnicode = statOrNull(guard.fs, folder + name.normalize("NFD")) !== null;
    removeTempFile(guard, probe);
    return { foldsCase, foldsUnicode };
  });
  return learned ?? guessFolding(guard);
}

/**
 * Guesses which names the disk treats as equal, by reading the folder `.mdmirror` under its name in
 * capitals. If the read works, and the root has no entry with the name in capitals, the disk
 * ignores case. Such a disk may treat Unicode forms as equal, too.
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
 * Makes no file: asks for the stat of names of several lengths.
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
