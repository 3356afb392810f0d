import { type MirrorOptions, type OpenedMirror, openMirror } from "./open-mirror.ts";
import type { Result } from "../../common/trouble.ts";

/** What a process that goes on has around it: a page, a program that imports the library. */
export type GuestOptions = Required<Pick<MirrorOptions, "env" | "cwd" | "clock" | "random">> &
  Pick<MirrorOptions, "progress">;

/**
 * Opens a mirror, works on it and closes it, however the work ends.
 * @param root absolute path of a folder that holds `.mdmirror/`, of this user
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
