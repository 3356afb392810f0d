import type { LocalPath } from "../../../contract/path.ts";
import type { Disk } from "../../ports/disk.ts";
import type { State } from "../../ports/state.ts";

/** Returns stored content in the form of the local file, with links as the folder has them. */
export function toLocalForm(disk: Pick<Disk, "toLocalForm">, path: LocalPath, text: string | null): string | null {
  return text === null ? null : (disk.toLocalForm?.(path, text) ?? text);
}

/** Returns a function that finds stored content by digest, in the form of the local file. */
export function makeLocalLookup(
  { state, disk }: { readonly state: Pick<State, "text">; readonly disk: Pick<Disk, "toLocalForm"> },
  path: LocalPath,
): Pick<State, "text"> {
  return { text: (digest) => toLocalForm(disk, path, state.text(digest)) };
}
