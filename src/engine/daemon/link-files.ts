import type { Link } from "../../model/link.ts";
import type { LocalFile, RemoteFile } from "../../model/tree.ts";

/** What a document's link says of its file, as an entry of either tree. */

/** @returns null where the link has no stamp of the file */
export function localFileOf({ localPath: path, stamp, stampTrusted, localDigest: digest }: Link): LocalFile | null {
  if (stamp === null) return null;
  return { path, stamp, stampTrusted, digest, textFault: null, empty: stamp.size === 0 };
}

export function remoteFileOf({ id, remotePath: path, changeId, protected: isProtected }: Link): RemoteFile {
  return { id, path, changeId, protected: isProtected };
}
