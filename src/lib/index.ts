/**
 * Entry point `mdmirror`: opens and links folders. A linked folder is an object that has a method
 * for each command.
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
 * @param dir path of the folder with `.mdmirror/`; may be relative to the working folder
 * @throws MdmirrorError with code `not-a-mirror` or `foreign-owner`
 */
export function openMirror(dir: string, options: OpenOptions = {}): Promise<Mirror> {
  return withLibraryErrors(dir, () => {
    requireFitNode();
    const environment = makeEnvironment(options);
    return makeMirror(new MirrorSession(findRoot(dir, environment.env), environment));
  });
}

/**
 * Links a folder to a workspace, and creates the folder if it is missing. Sends no documents; the
 * first `sync` does, and deletes and overwrites nothing on either side. mdmirror sends documents
 * and the key only to this URL.
 * @throws MdmirrorError with code `linked-already`, or `offline` if no service answers at the URL
 */
export function linkMirror(dir: string, options: LinkOptions): Promise<Mirror> {
  return withLibraryErrors(dir, async () => {
    requireFitNode();
    const { linkToWorkspace } = await import("./link.ts");
    const root = await linkToWorkspace(dir, options);
    // The mirror gets no URL, because the configuration of the folder now has the URL.
    const { url: _url, ...rest } = options;
    return makeMirror(new MirrorSession(root, makeEnvironment(rest)));
  });
}
