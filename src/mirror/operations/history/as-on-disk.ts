import type { LocalPath } from "../../../contract/path.ts";
import type { Disk } from "../../ports/disk.ts";
import type { State } from "../../ports/state.ts";

/** Returns content in the form of a local file; links are paths if the folder converts links. */
export function inLocalForm(disk: Pick<Disk, "toLocalForm">, path: LocalPath, text: string | null): string | null {
  return text === null ? null : (disk.toLocalForm?.(path, text) ?? text);
}

/** Returns a lookup that returns stored content in the form of a local file. */
export function localTexts(
  { state, disk }: { readonly state: Pick<State, "text">; readonly disk: Pick<Disk, "toLocalForm"> },
  path: LocalPath,
): Pick<State, "text"> {
  return { text: (digest) => inLocalForm(disk, path, state.text(digest)) };
}
