/**
 * Entry point `mdmirror`: opens and links folders. A linked folder has the operations of the
 * commands as methods.
 */

import { requireFitNode } from "./fit-node.ts";
import { withLibraryErrors } from "./error.ts";
import { findRoot, makeEnvironment, makeMirror, MirrorSession } from "./mirror.ts";
import type { LinkOptions, Mirror, OpenOptions } from "./types.ts";

export { MdmirrorError, type MdmirrorErrorFacts } from "./error.ts";
export type * from "./types.ts";

/**
 * Opens a linked folder. Sends no request and opens no state file before the first call of a
 * method.
 * @param dir path of the folder that contains `.mdmirror/`; relative to the working folder
 * @throws MdmirrorError with code `not-a-mirror` or `foreign-owner`
 */
export function openMirror(dir: string, options: OpenOptions = {}): Promise<Mirror> {
  return withLibraryErrors(dir, () => {
    requireFitNode();
    const world = makeEnvironment(options);
    return makeMirror(new MirrorSession(findRoot(dir, world.env), world));
  });
}

/**
 * Links a folder to a workspace, and creates a missing folder. Sends no document. The first `sync`
 * sends documents; it deletes and overwrites nothing on either side. Documents and the key are sent
 * to this URL only.
 * @throws MdmirrorError with code `linked-already`, or `offline` if no service answers at the URL
 */
export function linkMirror(dir: string, options: LinkOptions): Promise<Mirror> {
  return withLibraryErrors(dir, async () => {
    requireFitNode();
    const { linkToWorkspace } = await import("./link.ts");
    const root = await linkToWorkspace(dir, options);
    // The mirror gets no URL, because the URL is now stored in the configuration of the folder.
    const { url: _url, ...rest } = options;
    return makeMirror(new MirrorSession(root, makeEnvironment(rest)));
  });
}
