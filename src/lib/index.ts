/** `import … from "mdmirror"`: a linked folder, with the operations of the commands. */

import { requireFitNode } from "./fit-node.ts";
import { mirrorOf } from "./mirror.ts";
import { findRoot, Session, environmentOf } from "./session.ts";
import { withLibraryErrors } from "./with-errors.ts";
import type { LinkOptions, Mirror, OpenOptions } from "./types.ts";

export { MdmirrorError, type MdmirrorErrorFacts } from "./error.ts";
export type * from "./types.ts";

/**
 * Opens a folder that is linked to a workspace. Before the first call, sends nothing and opens no
 * file.
 * @param dir the folder that has `.mdmirror/`; relative to the working folder
 * @throws MdmirrorError, code `not-a-mirror`, `foreign-owner`
 */
export function openMirror(dir: string, options: OpenOptions = {}): Promise<Mirror> {
  return withLibraryErrors(dir, () => {
    requireFitNode();
    const world = environmentOf(options);
    return mirrorOf(new Session(findRoot(dir, world.env), world));
  });
}

/**
 * Links a folder to a workspace; creates the folder if it is missing. No document is sent before
 * the first `sync`, which deletes and overwrites nothing on either side. `plan` shows what that
 * sync would do. The folder's documents and the key are only ever sent to this URL.
 * @throws MdmirrorError, code `linked-already`; `offline` if no service answers at the URL
 */
export function linkMirror(dir: string, options: LinkOptions): Promise<Mirror> {
  return withLibraryErrors(dir, async () => {
    requireFitNode();
    const { link } = await import("./link.ts");
    const root = await link(dir, options);
    // The address is not needed again: linking has stored it in the folder's configuration.
    const { url: _url, ...rest } = options;
    return mirrorOf(new Session(root, environmentOf(rest)));
  });
}
