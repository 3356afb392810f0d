import { ancestorsOf, type LocalPath } from "../../contract/path.ts";
import { attemptCall, readErrno } from "./results.ts";
import type { RootGuard } from "./root-guard.ts";

const MAX_PARALLEL_FLUSHES = 8;
// Errors that mean that a disk (network, FUSE) cannot flush a folder. After a power loss, new names
// in such a folder may be missing.
const NO_FOLDER_FLUSH_ERRORS = ["EINVAL", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EPERM", "EISDIR"];

type FlushFailure = { readonly path: LocalPath; readonly errno: string };

/**
 * Flushes files or folders, so that they survive a power loss. Also flushes each folder above them
 * once, because a folder stores the names of its entries.
 * @returns a failure for each path whose file, or a folder above the file, could not be flushed
 */
export async function flushPaths(guard: RootGuard, paths: readonly LocalPath[]): Promise<FlushFailure[]> {
  const root = guard.root()?.realPath;
  if (root === undefined) return paths.map((path) => ({ path, errno: "ENOENT" }));
  const folders = new Map<LocalPath, Promise<string | null>>();
  const flushFolder = (folder: LocalPath): Promise<string | null> => {
    const failure = folders.get(folder) ?? syncOrErrno(guard, folder === "" ? root : `${root}/${folder}`);
    folders.set(folder, failure);
    return failure;
  };
  const failures: FlushFailure[] = [];
  await runInParallel(paths, async (path) => {
    const errnos = [await flushPath(guard, path)];
    for (const folder of ["", ...ancestorsOf(path)]) {
      const errno = await flushFolder(folder);
      if (errno !== null && !NO_FOLDER_FLUSH_ERRORS.includes(errno)) errnos.push(errno);
    }
    const errno = errnos.find((one) => one !== null);
    if (errno) failures.push({ path, errno });
  });
  return failures;
}

/**
 * Flushes the whole disk with one call, because flushing many new files one by one takes seconds.
 * Returns false if the system has no such call.
 */
export async function flushDisk(guard: RootGuard): Promise<boolean> {
  const { fs } = guard;
  const root = guard.root();
  if (root === null || fs.syncDisk === undefined) return false;
  try {
    return await fs.syncDisk(root.realPath);
  } catch (error) {
    if (readErrno(error) === null) throw error;
    return false;
  }
}

async function flushPath(guard: RootGuard, path: LocalPath): Promise<string | null> {
  const place = attemptCall(() => guard.place(path, "file"));
  if ("errno" in place) return place.errno;
  return place.value.ok ? syncOrErrno(guard, place.value.abs) : "ENOENT";
}

async function syncOrErrno(guard: RootGuard, abs: string): Promise<string | null> {
  try {
    await guard.fs.sync(abs);
    return null;
  } catch (error) {
    const errno = readErrno(error);
    if (errno === null) throw error;
    return errno;
  }
}

async function runInParallel<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const queue = items.values();
  await Promise.all(
    Array.from({ length: MAX_PARALLEL_FLUSHES }, async () => {
      for (const item of queue) await work(item);
    }),
  );
}
