import { ancestorsOf, type LocalPath } from "../../contract/path.ts";
import { errnoOf } from "./errno.ts";
import type { RootGuard } from "./root-guard.ts";

const AT_ONCE = 8;
// Some disks (network, FUSE) have no fsync for a folder: then nothing more can be done for its
// names.
const NO_FOLDER_SYNC = ["EINVAL", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EPERM", "EISDIR"];

type FlushFailure = { readonly path: LocalPath; readonly errno: string };

/**
 * Flushes files (or folders), then once each folder above them up to the root, because it has their
 * names.
 * @returns the paths that are not durable, because of their own failure or that of a folder above
 */
export async function flushPaths(guard: RootGuard, paths: readonly LocalPath[]): Promise<FlushFailure[]> {
  const root = guard.root()?.real;
  if (root === undefined) return paths.map((path) => ({ path, errno: "ENOENT" }));
  const failures: FlushFailure[] = [];
  await inParallel(paths, async (path) => {
    const errno = await flushErrno(guard, path);
    if (errno !== null) failures.push({ path, errno });
  });
  const above = paths.map((path) => ({ path, folders: ["", ...ancestorsOf(path)] }));
  const failed = await flushFolders(guard, root, new Set(["", ...above.flatMap(({ folders }) => folders)]));
  if (failed.size === 0) return failures;
  const known = new Set(failures.map(({ path }) => path));
  for (const { path, folders } of above) {
    const errno = folders.map((folder) => failed.get(folder)).find((found) => found !== undefined);
    if (errno !== undefined && !known.has(path)) failures.push({ path, errno });
  }
  return failures;
}

/** Returns the errno of each folder that failed. */
async function flushFolders(
  guard: RootGuard,
  root: string,
  folders: ReadonlySet<LocalPath>,
): Promise<Map<LocalPath, string>> {
  const failed = new Map<LocalPath, string>();
  await inParallel([...folders], async (folder) => {
    const errno = await syncErrno(guard, folder === "" ? root : `${root}/${folder}`);
    if (errno !== null && !NO_FOLDER_SYNC.includes(errno)) failed.set(folder, errno);
  });
  return failed;
}

/** Flushes the whole disk with one call: 10,000 new files one by one take seconds. */
export async function flushDisk(guard: RootGuard): Promise<boolean> {
  const { fs } = guard;
  const found = guard.root();
  if (found === null || fs.syncDisk === undefined) return false;
  try {
    return await fs.syncDisk(found.real);
  } catch (error) {
    if (errnoOf(error) === null) throw error;
    return false;
  }
}

/**
 * Returns the errno with which a folder above refuses access (EACCES, EIO): a failure of this path
 * alone.
 */
async function flushErrno(guard: RootGuard, path: LocalPath): Promise<string | null> {
  let place: ReturnType<RootGuard["place"]>;
  try {
    place = guard.place(path, "file");
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === null) throw error;
    return errno;
  }
  return place.ok ? syncErrno(guard, place.abs) : "ENOENT";
}

async function syncErrno(guard: RootGuard, abs: string): Promise<string | null> {
  try {
    await guard.fs.sync(abs);
    return null;
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === null) throw error;
    return errno;
  }
}

async function inParallel<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const queue = items.values();
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (const item of queue) await work(item);
    }),
  );
}
