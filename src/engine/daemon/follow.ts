import type { DocId } from "../../contract/ids.ts";
import type { Action } from "../../model/action.ts";
import { type Link, linksByPath } from "../../model/link.ts";
import { once } from "../../model/once.ts";
import type { LocalPath } from "../../model/path.ts";
import type { LocalFile, LocalTree, RemoteFile, RemoteTree } from "../../model/tree.ts";
import type { PassEnd } from "../run/pass-context.ts";
import type { World } from "../run/world.ts";

type Seen = { readonly local: LocalTree; readonly remote: RemoteTree };

/**
 * The two trees after the effects of a pass, as those effects themselves saw them: base was moved
 * to what both sides were seen to hold (I12). Only plain effects on single documents are followed.
 * @returns null after any other, or when one did not end well: then everything is looked at again.
 */
export function followEffects(
  world: World,
  end: Extract<PassEnd, { kind: "planned" }>,
  local: LocalTree,
  remote: RemoteTree,
): Seen | null {
  const { state } = world;
  const files = new Map(local.files);
  const listed = new Map(remote.files);
  const byPath = once(() => linksByPath(state.load().links.values()));
  for (const [index, { action }] of end.plan.steps.entries()) {
    const step = end.ends[index];
    if (step?.kind !== "ran") return null;
    if (step.outcome.kind !== "done" && step.outcome.kind !== "submitted") return null;
    const link = linkAfter(
      action,
      (id) => state.link(id),
      (path) => byPath().get(path) ?? null,
    );
    if (link === null || !follow(action, link, files, listed)) return null;
  }
  return { local: { ...local, files }, remote: { ...remote, files: listed } };
}

/** `gone`: the document has no link any more, as it should be. */
function linkAfter(
  action: Action,
  linkOf: (id: DocId) => Link | null,
  linkAt: (path: LocalPath) => Link | null,
): Link | "gone" | null {
  if (action.kind === "create-remote") return linkAt(action.localPath);
  if (!("id" in action)) return null;
  const link = linkOf(action.id);
  return action.kind === "delete-remote" ? (link === null ? "gone" : null) : link;
}

function follow(
  action: Action,
  link: Link | "gone",
  files: Map<LocalPath, LocalFile>,
  listed: Map<DocId, RemoteFile>,
): boolean {
  if (link === "gone") return action.kind === "delete-remote" && listed.delete(action.id);
  switch (action.kind) {
    case "put":
      listed.set(link.id, asListed(link));
      // In review, or answered with the base's own text: the disk is as it was. Else it holds what
      // was saved.
      if (link.submissions.length > 0 || link.echoDigest !== null || link.localDigest === action.expect) return true;
      return followFile(link, files);
    case "create-remote":
      listed.set(link.id, asListed(link));
      return link.localDigest === action.expect || followFile(link, files);
    case "write-local":
    case "create-local":
      listed.set(link.id, asListed(link));
      return followFile(link, files);
    case "note-facts":
      return true;
    default:
      return false;
  }
}

function asListed(link: Link): RemoteFile {
  return { id: link.id, path: link.remotePath, changeId: link.changeId, protected: link.protected };
}

function followFile(link: Link, files: Map<LocalPath, LocalFile>): boolean {
  const { localPath: path, stamp, localDigest: digest } = link;
  if (stamp === null) return false;
  files.set(path, { path, stamp, stampTrusted: false, digest, textFault: null, empty: stamp.size === 0 });
  return true;
}
