import type { DocId } from "../../../contract/ids.ts";
import type { LocalPath } from "../../../contract/path.ts";
import type { World } from "../run/world.ts";
import { keepFileText } from "./keep-file-text.ts";

/**
 * Stores the text of a conflict copy as it is now: its user may edit it, and remove it before
 * anything else reads it (I03). Bytes that are no text stay a file. The text belongs to the
 * document, whether edited or not, because the copy's own path ends with the conflict.
 */
export function keepSidecar(world: Pick<World, "state" | "disk">, id: DocId, path: LocalPath): void {
  const document = world.state.link(id)?.localPath ?? path;
  keepFileText(world, path, { path: document, id, side: "both", why: "the other version of a conflict" });
}
