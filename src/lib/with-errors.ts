/** Converts errors of `mirror/` to the errors of the library. */

import { describeError } from "../mirror/folder/disk-trouble.ts";
import { type Trouble, TroubleError } from "../common/trouble.ts";
import { MdmirrorError } from "./error.ts";

export function toMdmirrorError(
  { kind, what, code, requestId, next }: Trouble,
  path: string,
  cause?: unknown,
): MdmirrorError {
  const facts = { kind, code: code ?? kind, path, next, message: what, requestId: requestId ?? null };
  return new MdmirrorError(cause === undefined ? facts : { ...facts, cause });
}

/**
 * Runs `work`. Throws expected errors, such as a full disk or an unsafe path, as `MdmirrorError`;
 * throws other errors unchanged.
 * @param path file or folder that the error concerns
 */
export async function withLibraryErrors<T>(path: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const expectedTrouble = error instanceof MdmirrorError ? null : describeError(error);
    throw expectedTrouble === null
      ? error
      : toMdmirrorError(expectedTrouble, path, error instanceof TroubleError ? undefined : error);
  }
}
