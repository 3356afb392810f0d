import type { LocalPath } from "../../../contract/path.ts";
import type { Disk } from "../../ports/disk.ts";

export type FreePath =
  | { readonly kind: "free"; readonly path: LocalPath }
  | { readonly kind: "unknown"; readonly why: string };

/**
 * Returns the first of numbered paths that is free. A path that cannot be read ends the search:
 * what hides one path may hide all of them.
 */
export function findFreePath(disk: Pick<Disk, "look">, pathOf: (number: number) => LocalPath): FreePath {
  for (let number = 1; ; number++) {
    const path = pathOf(number);
    const look = disk.look(path);
    if (look.kind === "absent") return { kind: "free", path };
    if (look.kind === "unknown") return { kind: "unknown", why: look.why };
  }
}
