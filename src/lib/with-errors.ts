import { troubleOfError } from "../mirror/folder/disk-trouble.ts";
import type { Result, Trouble } from "../common/trouble.ts";
import { MdmirrorError } from "./error.ts";

/** Turns results and exceptions of the client into the library's errors. */

export function errorOf({ kind, what, code, requestId, next }: Trouble, path: string, cause?: unknown): MdmirrorError {
  const facts = { kind, code: code ?? kind, path, next, message: what, requestId: requestId ?? null };
  return new MdmirrorError(cause === undefined ? facts : { ...facts, cause });
}

/**
 * Returns the value of a result.
 * @throws MdmirrorError if the result is trouble
 */
export function unwrap<T>(result: Result<T>, path: string): T {
  if (result.kind === "trouble") throw errorOf(result.trouble, path);
  return result.value;
}

/** Runs `work`; turns errors of the disk and of unsafe paths into a `MdmirrorError`. */
export async function withLibraryErrors<T>(path: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const known = error instanceof MdmirrorError ? null : troubleOfError(error);
    throw known === null ? error : errorOf(known, path, error);
  }
}
