import { diskTrouble } from "../mirror/folder/disk-trouble.ts";
import { errorCodeOf, type Result, type Trouble } from "../common/trouble.ts";
import { MdmirrorError } from "./error.ts";

/** Turns results and exceptions of the client into the library's errors. */

export function errorOf({ kind, what, code, requestId, next }: Trouble, path: string): MdmirrorError {
  return new MdmirrorError({ kind, code: code ?? kind, path, next, message: what, requestId: requestId ?? null });
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
    throw toldError(error, path);
  }
}

function toldError(error: unknown, path: string): unknown {
  if (error instanceof MdmirrorError || !(error instanceof Error)) return error;
  const { message, cause } = { message: error.message, cause: error };
  if (errorCodeOf(error) === "unsafe-path" && "next" in error)
    return new MdmirrorError({ kind: "usage", code: "unsafe-path", path, next: String(error.next), message, cause });
  const disk = diskTrouble(error);
  if (disk === null || errorCodeOf(error) === null) return error;
  return new MdmirrorError({ kind: "fault", code: disk.code, path, next: disk.next, message: disk.what, cause });
}
