/** Converts errors of `mirror/` to the errors of the library. */

import { describeError } from "../mirror/folder/disk-trouble.ts";
import { type Trouble, TroubleError } from "../common/trouble.ts";
import { MdmirrorError } from "./error.ts";

export function toMdmirrorError(
  { kind, what, code, requestId, next }: Trouble,
  path: string,
  cause?: unknown,
): MdmirrorError {
  const errorFields = { kind, code: code ?? kind, path, next, message: what, requestId: requestId ?? null };
  return new MdmirrorError(cause === undefined ? errorFields : { ...errorFields, cause });
}

/**
 * Runs `work`. Throws expected errors, such as a full disk, as `MdmirrorError` about `path`; throws
 * other errors unchanged.
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
