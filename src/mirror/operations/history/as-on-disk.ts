import type { LocalPath } from "../../../contract/path.ts";
import type { Disk } from "../../ports/disk.ts";
import type { State } from "../../ports/state.ts";

/** Returns stored content in the form of a local file, with links as paths. */
export function asOnDisk(
  { state, disk }: { readonly state: Pick<State, "text">; readonly disk: Pick<Disk, "shown"> },
  path: LocalPath,
): Pick<State, "text"> {
  return {
    text: (digest) => {
      const text = state.text(digest);
      return text === null ? null : (disk.shown?.(path, text) ?? text);
    },
  };
}
