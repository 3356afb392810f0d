import type { DocId } from "../../../contract/ids.ts";
import type { Digest } from "../../../contract/digest.ts";
import type { LocalPath } from "../../../contract/path.ts";
import type { TextName } from "../../ports/state.ts";
import type { World } from "../run/world.ts";

/**
 * Stores the text that a file holds now, before something happens to the file (I03). Bytes that are
 * no text stay a file.
 * @param name under which it is found
 * @returns its digest; null: no text is there
 */
export function keepFileText(
  { disk, state }: Pick<World, "disk" | "state">,
  path: LocalPath,
  name: TextName,
): Digest | null {
  const read = disk.read(path);
  if (read.kind !== "done") return null;
  state.putKnownText(read.value.digest, read.value.text, name);
  return read.value.digest;
}

/**
 * Stores the text of a conflict copy as it is now: its user may edit it, and remove it before
 * anything else reads it (I03). Bytes that are no text stay a file. The text belongs to the
 * document, whether edited or not, because the copy's own path ends with the conflict.
 */
export function keepSidecar(world: Pick<World, "state" | "disk">, id: DocId, path: LocalPath): void {
  const document = world.state.link(id)?.localPath ?? path;
  keepFileText(world, path, { path: document, id, side: "both", why: "the other version of a conflict" });
}
