import { type MirrorOptions, type OpenedMirror, openMirror } from "./open-mirror.ts";
import type { Result } from "../../common/trouble.ts";

/**
 * Environment of a process that keeps running: the server of the pages, or a program that uses the
 * library.
 */
export type GuestOptions = Required<Pick<MirrorOptions, "env" | "cwd" | "clock" | "random">> &
  Pick<MirrorOptions, "progress">;

/**
 * Opens a linked folder, runs `work`, and closes the folder, even if `work` throws.
 * @param root absolute path of a folder of this user that has `.mdmirror/`
 */
export async function withMirror<T>(
  root: string,
  options: MirrorOptions,
  work: (mirror: OpenedMirror) => Result<T> | Promise<Result<T>>,
): Promise<Result<T>> {
  const opened = await openMirror(root, options);
  if (opened.kind === "trouble") return opened;
  try {
    return await work(opened.value);
  } finally {
    await opened.value.close();
  }
}
