import type { DocId } from "../../../contract/ids.ts";
import type { Digest } from "../../../contract/digest.ts";
import type { LocalPath } from "../../../contract/path.ts";
import type { TextName } from "../../ports/state.ts";
import type { World } from "../run/world.ts";

/**
 * Stores the present text of a file before something happens to the file (I03). Bytes that are no
 * text stay a file.
 * @param name under which it can be found
 * @returns its digest; null: there is no text
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
 * Stores the present text of a conflict copy: its user may edit it, and remove it before anything
 * else reads it (I03). Bytes that are no text stay a file. The text belongs to the document,
 * because the copy's own path ends with the conflict.
 */
export function storeConflictCopy(world: Pick<World, "state" | "disk">, id: DocId, path: LocalPath): void {
  const document = world.state.link(id)?.localPath ?? path;
  keepFileText(world, path, { path: document, id, side: "both", why: "the other version of a conflict" });
}
