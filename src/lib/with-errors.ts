/** Turns results and exceptions of the client into the library's errors. */

import { troubleOfError } from "../mirror/folder/disk-trouble.ts";
import { type Trouble, TroubleError } from "../common/trouble.ts";
import { MdmirrorError } from "./error.ts";

export function errorOf({ kind, what, code, requestId, next }: Trouble, path: string, cause?: unknown): MdmirrorError {
  const facts = { kind, code: code ?? kind, path, next, message: what, requestId: requestId ?? null };
  return new MdmirrorError(cause === undefined ? facts : { ...facts, cause });
}

/** Runs `work`; turns trouble and errors of the disk or of unsafe paths into a `MdmirrorError`. */
export async function withLibraryErrors<T>(path: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const known = error instanceof MdmirrorError ? null : troubleOfError(error);
    throw known === null ? error : errorOf(known, path, error instanceof TroubleError ? undefined : error);
  }
}
