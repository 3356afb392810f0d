import type { Action } from "../model/action.ts";
import { keyOf } from "./decide/plan-draft.ts";
import { type ContentCell, CONTENT_RULES, type ContentRule } from "./decide/table.ts";
import type { Drift } from "./drift/drift.ts";
import type { Conflict, Hold, Link, Tombstone } from "../model/link.ts";
import type { DocumentRow, FolderRow, RemoteSeen } from "./match/row.ts";
import type { Evidence } from "./match/matching.ts";
import { matchTrees } from "./match/match.ts";
import { layOut } from "./order/schedule.ts";
import { type LocalPath, pathKey, type RemotePath } from "../model/path.ts";
import { decide } from "./plan.ts";
import type { Policy } from "../model/policy.ts";
import type { Seen } from "../model/seen.ts";
import type { LocalFile, LocalOther, TextLookup, Trees } from "../model/tree.ts";

/** Why a path is as it is, and what a plan made now would do about it: for `why PATH`. */
export type Explanation =
  /**
   * Neither base nor either side has anything there that the mirror considers. `other`: what it
   * leaves alone.
   */
  | { readonly kind: "unknown"; readonly other: LocalOther | null; readonly ignored: boolean }
  | {
      readonly kind: "folder";
      readonly dirId: string | null;
      readonly localPath: LocalPath | null;
      readonly remotePath: RemotePath | null;
      readonly localSeen: FolderRow["localSeen"];
      readonly remoteSeen: FolderRow["remoteSeen"];
      readonly actions: readonly Action[];
      readonly holds: readonly Hold[];
    }
  | {
      readonly kind: "document";
      readonly id: string | null;
      readonly base: Link | null;
      readonly tombstone: Tombstone | null;
      readonly conflict: Conflict | null;
      readonly local: Seen<LocalFile>;
      readonly remote: RemoteSeen;
      /** By what the file was taken for this document; null where there is no file, or no link. */
      readonly evidence: Evidence | null;
      readonly drift: Drift;
      /**
       * The cell of the decide table, local before remote, and what it says before refusals,
       * reviews and directions are looked at.
       */
      readonly cell: ContentCell;
      readonly rule: ContentRule;
      readonly actions: readonly Action[];
      readonly holds: readonly Hold[];
    };

/**
 * @param localPath where the document is, was linked, or would be: on disk now, else in base, else
 * a remote path of that spelling
 */
export function explainPath(trees: Trees, policy: Policy, texts: TextLookup, localPath: LocalPath): Explanation {
  const matched = matchTrees(trees, policy, texts, localPath);
  const draft = decide(trees, policy, texts, matched);
  const actions = layOut(draft).map(({ action }) => action);
  const same = (path: string | null | undefined): boolean =>
    path !== null && path !== undefined && pathKey(path, trees.local.disk) === pathKey(localPath, trees.local.disk);
  const document = findDocument(draft.documents, same);
  if (document !== null) {
    const drift = draft.drifts.get(document) ?? { local: "unchanged", remote: "unchanged", place: "nobody" };
    const cell: ContentCell = `${drift.local}/${drift.remote}`;
    const mine = (action: Action): boolean =>
      document.id === null ? "localPath" in action && same(action.localPath) : isAbout(action, document.id, localPath);
    return {
      kind: "document",
      id: document.id,
      base: document.link,
      tombstone: document.tombstone,
      conflict: document.id === null ? null : (trees.base.conflicts.get(document.id) ?? null),
      local: document.local.seen,
      remote: document.remote.seen,
      evidence: document.evidence,
      drift,
      cell,
      rule: CONTENT_RULES[cell],
      actions: actions.filter(mine),
      holds: [draft.holds.get(keyOf(document))].filter((one) => one !== undefined),
    };
  }
  for (const folder of matched.forest.folders) {
    const path = folder.localPath ?? folder.link?.localPath ?? folder.remotePath;
    if (!same(path) || localPath === "") continue;
    const { dirId, localSeen, remoteSeen, remotePath } = folder;
    const mine = (action: Action): boolean =>
      ("dirId" in action && action.dirId === dirId) ||
      (action.kind === "make-folder-remote" && action.localPath === folder.localPath);
    const holds = [...draft.holds.values()].filter(({ key }) => key === dirId || key === folder.localPath);
    const facts = { dirId, localPath: folder.localPath, remotePath, localSeen, remoteSeen };
    return { kind: "folder", ...facts, actions: actions.filter(mine), holds };
  }
  const ignored = trees.local.ignores(localPath, "file");
  return { kind: "unknown", other: trees.local.others.get(localPath) ?? null, ignored };
}

/**
 * What stands at the path on disk goes before what base has there, and that before what only the
 * service has there.
 */
function findDocument(
  documents: readonly DocumentRow[],
  same: (path: string | null | undefined) => boolean,
): DocumentRow | null {
  const here = ({ local }: DocumentRow): boolean => local.seen.kind === "present" && same(local.seen.value.path);
  const linked = ({ link }: DocumentRow): boolean => same(link?.localPath);
  const there = ({ remote }: DocumentRow): boolean => remote.seen.kind === "present" && same(remote.seen.file.path);
  for (const is of [here, linked, there]) {
    const found = documents.find(is);
    if (found !== undefined) return found;
  }
  return null;
}

function isAbout(action: Action, id: string, localPath: LocalPath): boolean {
  if ("id" in action) return action.id === id;
  return action.kind === "create-remote" && (action.tombstone === id || action.localPath === localPath);
}
