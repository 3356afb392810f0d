import type { DocId } from "../../contract/ids.ts";
import type { Action } from "../../model/action.ts";
import { type Link, linksByPath } from "../../model/link.ts";
import { once } from "../../model/once.ts";
import type { LocalPath } from "../../model/path.ts";
import type { LocalFile, LocalTree, RemoteFile, RemoteTree } from "../../model/tree.ts";
import type { State } from "../../ports/state.ts";
import { endedWell, metAnotherEdit } from "../run/execute.ts";
import type { PassEnd } from "../run/pass-context.ts";
import type { World } from "../run/world.ts";
import { localFileOf, remoteFileOf } from "./link-files.ts";

type SeenTrees = { readonly local: LocalTree; readonly remote: RemoteTree };
/** The documents of both sides, changed by one action after the other. */
type Documents = { readonly local: Map<LocalPath, LocalFile>; readonly remote: Map<DocId, RemoteFile> };

/**
 * The two trees after the effects of a pass, as base has them since (I12). Only plain effects on
 * single documents can be followed.
 * @returns null after any other effect, or when one did not end well or met another edit: then
 * everything is looked at again
 */
export function treesAfterPass(
  world: World,
  end: Extract<PassEnd, { kind: "planned" }>,
  local: LocalTree,
  remote: RemoteTree,
): SeenTrees | null {
  const { state } = world;
  const documents: Documents = { local: new Map(local.files), remote: new Map(remote.files) };
  const byPath = once(() => linksByPath(state.load().links.values()));
  for (const [index, { action }] of end.plan.steps.entries()) {
    const step = end.ends[index];
    if (step?.kind !== "ran") return null;
    if (!endedWell(step.outcome) || metAnotherEdit(step.outcome)) return null;
    const link = action.kind === "create-remote" ? (byPath().get(action.localPath) ?? null) : linkAfter(action, state);
    if (link === null || !followAction(action, link, documents)) return null;
  }
  return { local: { ...local, files: documents.local }, remote: { ...remote, files: documents.remote } };
}

/** `gone`: the document has no link any more, as it should be. */
function linkAfter(action: Action, state: Pick<State, "link">): Link | "gone" | null {
  if (!("id" in action)) return null;
  const link = state.link(action.id);
  if (action.kind !== "delete-remote") return link;
  return link === null ? "gone" : null;
}

/** @returns whether the action is one that can be followed */
function followAction(action: Action, link: Link | "gone", documents: Documents): boolean {
  if (link === "gone") return action.kind === "delete-remote" && documents.remote.delete(action.id);
  if (action.kind === "note-facts") return true;
  const disk = diskAfter(action, link);
  if (disk === "unknown") return false;
  // Base has a file whose move is held where it was before: the effect was at another path.
  if (disk === "as-linked" && "localPath" in action && action.localPath !== link.localPath) return false;
  documents.remote.set(link.id, remoteFileOf(link));
  return disk === "as-before" || followFile(link, documents.local);
}

/** What the document's file holds after the action. */
function diskAfter(action: Action, link: Link): "as-before" | "as-linked" | "unknown" {
  switch (action.kind) {
    case "put":
      // Sent to review, or answered with the base's own text: the file is as it was. Otherwise it
      // holds what was saved.
      if (link.submissions.length > 0 || link.echoDigest !== null) return "as-before";
      return link.localDigest === action.expect ? "as-before" : "as-linked";
    case "create-remote":
      return link.localDigest === action.expect ? "as-before" : "as-linked";
    case "write-local":
    case "create-local":
      return "as-linked";
    default:
      return "unknown";
  }
}

function followFile(link: Link, files: Map<LocalPath, LocalFile>): boolean {
  const file = localFileOf(link);
  if (file === null) return false;
  files.set(file.path, { ...file, stampTrusted: false });
  return true;
}
