import { closeSync, linkSync, readdirSync, readFileSync, statfsSync, lstatSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Disk } from "../../ports/disk.ts";
import type { Random } from "../../../common/random.ts";
import { createOwnFile, removeOwnFile, withOwnFolder } from "../../state/own-files.ts";
import { errnoClause } from "../../../common/trouble.ts";
import { makeFailure, type DoctorCheck, makePass, makeNote, makeWarning } from "./check.ts";

const LOW_FREE_BYTES = 200 * 1024 * 1024;

/** Tests the disk with a file in `.mdmirror/tmp`: spellings of names, hard links, free space. */
export function checkDisk(disk: Disk, folder: string, random: Random): DoctorCheck[] {
  const { foldsCase, foldsUnicode } = disk.names();
  const checks: DoctorCheck[] = [
    foldsCase
      ? makeNote(
          "case",
          "this disk treats Note.md and note.md as one file; of two such documents one gets another local name",
        )
      : makePass("case", "Note.md and note.md are two files"),
    foldsUnicode
      ? makeNote("unicode", "this disk treats both spellings of é as one name")
      : makePass("unicode", "names are kept as they are spelled"),
    checkHardLinks(folder, random),
  ];
  const { bavail, bsize } = statfsSync(folder);
  const freeBytes = bavail * bsize;
  checks.push(
    freeBytes < LOW_FREE_BYTES
      ? makeWarning(
          "disk-space",
          `${Math.floor(freeBytes / 1024 / 1024)} MB are free`,
          "free some space: a full disk stops downloads; nothing is lost",
        )
      : makePass("disk-space", `${(freeBytes / 1024 ** 3).toFixed(1)} GB are free`),
  );
  return checks;
}

function checkHardLinks(folder: string, random: Random): DoctorCheck {
  const name = `w-doctor-${random.hex(8)}`;
  try {
    closeSync(createOwnFile(folder, `tmp/${name}`));
  } catch (error) {
    return makeFailure(
      "hard-links",
      "fault",
      `.mdmirror/tmp cannot be written: ${errnoClause(error)}`,
      "allow this user to write in that folder, or free some space",
    );
  }
  try {
    withOwnFolder(folder, "tmp", (dir) => linkSync(`${dir}/${name}`, `${dir}/${name}-2`));
    return makePass("hard-links", "available: mdmirror replaces a file without losing a save of the same moment");
  } catch (error) {
    return makeNote(
      "hard-links",
      `this file system has none (${errnoClause(error)}): a save within the same millisecond as a download may be lost to it`,
    );
  } finally {
    removeOwnFile(folder, `tmp/${name}`);
    removeOwnFile(folder, `tmp/${name}-2`);
  }
}

/** Checks the limit of inotify watches. `watch` needs one inotify watch for each folder. */
export function checkWatches(folders: number, proc = "/proc/sys/fs/inotify"): DoctorCheck[] {
  const limit = readNumber(join(proc, "max_user_watches"));
  if (limit === null) return [];
  // Editors and desktops need watches too, so mdmirror should need at most half of the limit.
  if (folders + 1 > limit / 2) {
    const nextStep = `raise it: sysctl fs.inotify.max_user_watches=${Math.max(524_288, folders * 4)}; until then mdmirror watch polls`;
    return [makeWarning("inotify", `${folders} folders to watch, and the system allows ${limit} watches`, nextStep)];
  }
  const instanceLimit = readNumber(join(proc, "max_user_instances"));
  if (instanceLimit !== null && instanceLimit < 64) {
    return [
      makeWarning(
        "inotify",
        `the system allows ${instanceLimit} watchers a user`,
        "raise it: sysctl fs.inotify.max_user_instances=512",
      ),
    ];
  }
  return [makePass("inotify", `${limit} watches allowed, ${folders + 1} needed`)];
}

function readNumber(file: string): number | null {
  try {
    return Number(readFileSync(file, "utf8").trim());
  } catch {
    // The limit is unknown: the system is not Linux, or a sandbox hides the file.
    return null;
  }
}

/**
 * Names of files and folders that show other sync programs. Such a program would copy files that
 * mdmirror has not finished writing.
 */
const SYNC_TOOLS: readonly (readonly [tool: string, inside: RegExp, folderName: RegExp | null])[] = [
  ["Syncthing", /^\.stfolder$|^\.stignore$|^\.stversions$/, null],
  ["Dropbox", /^\.dropbox(\.cache|\.attr)?$/, /^Dropbox( \(.*\))?$/],
  [
    "Nextcloud or ownCloud",
    /^\.(owncloud|nextcloud)?sync(log|_.*)?\.(db|log)|^\._?sync_[0-9a-f]+\.db|^\.owncloudsync\.log$/,
    /^(Nextcloud|ownCloud)$/,
  ],
  ["OneDrive", /^\.849C9593-D756-4E56-8D6E-42412F2A707B$/, /^OneDrive( - .*)?$/],
  ["Google Drive", /^\.tmp\.drivedownload$|^\.tmp\.driveupload$/, /^(Google Drive|GoogleDrive.*|My Drive)$/],
  ["iCloud Drive", /^\..*\.icloud$/, /^(com~apple~CloudDocs|iCloud~.*|Mobile Documents)$/],
  ["Resilio Sync", /^\.sync$/, null],
  ["Unison", /^\.unison$/, null],
];

/**
 * LIMIT: number of folders above the linked folder that are checked, so that the check is fast.
 * Usual paths have fewer folders.
 */
const MAX_FOLDERS = 32;

export function checkNeighbours(root: string): DoctorCheck[] {
  const foundTools = new Set<string>();
  for (let folder = root, depth = 0; depth < MAX_FOLDERS; folder = dirname(folder), depth++) {
    for (const tool of findTools(folder, folder === root)) foundTools.add(tool);
    if (dirname(folder) === folder) break;
  }
  if (foundTools.size === 0) return [makePass("sync-tools", "no other sync tool seems to use this folder")];
  return [
    makeWarning(
      "sync-tools",
      `${[...foundTools].join(", ")} also seems to sync this folder`,
      "stop one of the two: each would sync unfinished work of the other; at least exclude .mdmirror/ from the other tool",
    ),
  ];
}

/**
 * Programs that mark a synced folder with a file, and that use a file of the same name for settings
 * in the home folder. In a folder above the linked folder, such a file proves nothing. So mdmirror
 * looks for these files only in the linked folder itself.
 */
const MARKED_AT_ROOT: ReadonlySet<string> = new Set(["Unison", "Dropbox"]);

function findTools(folder: string, isRoot: boolean): string[] {
  const names = readNames(folder);
  return SYNC_TOOLS.filter(([tool, inside, folderName]) => {
    const isMarkedByTool = (isRoot || !MARKED_AT_ROOT.has(tool)) && names.some((name) => inside.test(name));
    return isMarkedByTool || folderName?.test(basename(folder)) === true;
  }).map(([tool]) => tool);
}

function readNames(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Endings of a SQLite database's files. Before a checkpoint, `-wal` may have most of the data. */
const DATABASE_FILE_ENDINGS = ["", "-wal", "-shm"] as const;

/** @param folder absolute path of `.mdmirror` */
export function checkHistory(folder: string): DoctorCheck {
  const measureDatabase = (name: string) =>
    DATABASE_FILE_ENDINGS.reduce((sum, end) => sum + measureSize(join(folder, `${name}${end}`)), 0);
  try {
    const bytesByName = {
      texts: measureDatabase("texts.db"),
      state: measureDatabase("state.db"),
      trash: measureSize(join(folder, "trash")),
      log: measureSize(join(folder, "log")),
    };
    const sizeTexts = Object.entries(bytesByName).map(([name, size]) => `${name} ${formatSize(size)}`);
    const totalBytes = Object.values(bytesByName).reduce((sum, size) => sum + size, 0);
    return { ...makePass("history", `${formatSize(totalBytes)}: ${sizeTexts.join(", ")}`), bytes: bytesByName };
  } catch (error) {
    const reason = `its size is not known: ${errnoClause(error)}`;
    return makeWarning("history", reason, "allow this user to read .mdmirror/, then run doctor again");
  }
}

/** Returns a size in powers of 1000, as file managers do: `0 B`, `999 B`, `1.5 KB`, `12 MB`. */
export function formatSize(bytes: number): string {
  const units = ["B", "KB", "MB", "GB", "TB"];
  let [value, unit] = [bytes, 0];
  // A value of 999.5 or more would be rounded to 1000, so such a value is shown in the next larger
  // unit.
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000;
    unit++;
  }
  return `${unit > 0 && value < 9.95 ? value.toFixed(1) : Math.round(value)} ${units[unit]}`;
}

/** Returns the size of a file or folder in bytes; 0 if nothing is at the path. */
function measureSize(path: string): number {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat?.isDirectory() !== true) return stat?.isFile() === true ? stat.size : 0;
  return readdirSync(path).reduce((sum, name) => sum + measureSize(join(path, name)), 0);
}
