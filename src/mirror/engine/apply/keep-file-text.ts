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
