import type { DocId } from "../../contract/ids.ts";
import type { Action } from "../model/action.ts";
import { keyOf, type PlanDraft } from "./decide/plan-draft.ts";
import { type ContentCell, cellOf, CONTENT_RULES, type ContentRule } from "./decide/table.ts";
import type { PlaceChange } from "./drift/place-change.ts";
import type { Conflict, Block, Link, Tombstone } from "../model/link.ts";
import type { DocumentRow, FolderRow, RemoteSeen } from "./match/row.ts";
import type { Evidence } from "./match/matching.ts";
import { type DiskFolding, type LocalPath, pathKey, type RemotePath } from "../../contract/path.ts";
import { decide } from "./plan.ts";
import type { Policy } from "../model/policy.ts";
import { NOTHING_LEFT_OUT } from "../model/left-out.ts";
import type { Seen } from "../model/seen.ts";
import type { LocalFile, LocalOther, TextLookup, Trees } from "../model/tree.ts";

/**
 * Explains the state of a path, and the steps that a plan made now would have for it, for `why
 * PATH`.
 */
export type Explanation =
  /**
   * Neither base nor a side has anything at the path that mdmirror considers. `other`: something
   * that mdmirror leaves alone.
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
      readonly blocks: readonly Block[];
    }
  | {
      readonly kind: "document";
      readonly id: string | null;
      readonly base: Link | null;
      readonly tombstone: Tombstone | null;
      readonly conflict: Conflict | null;
      readonly local: Seen<LocalFile>;
      readonly remote: RemoteSeen;
      /**
       * Evidence by which the file was taken for this document; null if there is no file, or no
       * record.
       */
      readonly evidence: Evidence | null;
      readonly drift: PlaceChange;
      /**
       * The cell of the table, local before remote, and its rule before refusals, reviews and
       * directions count.
       */
      readonly cell: ContentCell;
      readonly rule: ContentRule;
      readonly actions: readonly Action[];
      readonly blocks: readonly Block[];
    };

/**
 * @param localPath present, recorded or future path of the document: on disk, else in base, else a
 * remote path of that spelling
 */
export function explainPath(trees: Trees, policy: Policy, texts: TextLookup, localPath: LocalPath): Explanation {
  const { draft, steps } = decide(trees, policy, texts, documentsAt(trees, localPath));
  const actions = steps.map(({ action }) => action);
  const asked: Asked = { localPath, disk: trees.local.disk };
  const document = findDocument(draft.documents, asked);
  if (document !== null) return explainDocument(draft, document, asked, actions);
  const folder = localPath === "" ? null : findFolder(draft, asked);
  if (folder !== null) return explainFolder(draft, folder, actions);
  const ignored = trees.local.ignores(localPath, "file");
  return { kind: "unknown", other: trees.local.others.get(localPath) ?? null, ignored };
}

function documentsAt({ base, remote, leftOut = NOTHING_LEFT_OUT }: Trees, path: LocalPath): ReadonlySet<DocId> {
  const found = new Set<DocId>();
  for (const { id, localPath } of base.links.values()) if (localPath === path) found.add(id);
  for (const file of remote.files.values()) if (file.path === path) found.add(file.id);
  for (const { id, localPath, remotePath } of leftOut.documents())
    if (localPath === path || remotePath === path) found.add(id);
  return found;
}

type Asked = { readonly localPath: LocalPath; readonly disk: DiskFolding };

function isAsked({ localPath, disk }: Asked, path: string | null | undefined): boolean {
  return path !== null && path !== undefined && pathKey(path, disk) === pathKey(localPath, disk);
}

function explainDocument(
  draft: PlanDraft,
  document: DocumentRow,
  asked: Asked,
  actions: readonly Action[],
): Explanation {
  const { id, link, tombstone, evidence } = document;
  const drift = draft.drifts.get(document)!;
  const cell = cellOf(drift);
  return {
    kind: "document",
    id,
    base: link,
    tombstone,
    conflict: id === null ? null : (draft.trees.base.conflicts.get(id) ?? null),
    local: document.local.seen,
    remote: document.remote.seen,
    evidence,
    drift,
    cell,
    rule: CONTENT_RULES[cell],
    actions: actions.filter((action) => isAboutDocument(action, id, asked)),
    blocks: [draft.blocks.get(keyOf(document))].filter((one) => one !== undefined),
  };
}

function isAboutDocument(action: Action, id: string | null, asked: Asked): boolean {
  if (id === null) return "localPath" in action && isAsked(asked, action.localPath);
  if ("id" in action) return action.id === id;
  return action.kind === "create-remote" && (action.tombstone === id || action.localPath === asked.localPath);
}

function explainFolder(draft: PlanDraft, folder: FolderRow, actions: readonly Action[]): Explanation {
  const { dirId, localPath, remotePath, localSeen, remoteSeen } = folder;
  return {
    kind: "folder",
    dirId,
    localPath,
    remotePath,
    localSeen,
    remoteSeen,
    actions: actions.filter((action) => isAboutFolder(action, folder)),
    blocks: [...draft.blocks.values()].filter(({ key }) => key === dirId || key === localPath),
  };
}

function isAboutFolder(action: Action, { dirId, localPath }: FolderRow): boolean {
  if ("dirId" in action && action.dirId === dirId) return true;
  return action.kind === "make-folder-remote" && action.localPath === localPath;
}

function findFolder({ forest }: PlanDraft, asked: Asked): FolderRow | null {
  for (const folder of forest.folders)
    if (isAsked(asked, folder.localPath ?? folder.link?.localPath ?? folder.remotePath)) return folder;
  return null;
}

/** In this order: the path on disk, in base, on the service only. */
const PATHS_OF: readonly ((document: DocumentRow) => string | undefined)[] = [
  ({ local }) => (local.seen.kind === "present" ? local.seen.value.path : undefined),
  ({ link }) => link?.localPath,
  ({ remote }) => (remote.seen.kind === "present" ? remote.seen.file.path : undefined),
];

function findDocument(documents: readonly DocumentRow[], asked: Asked): DocumentRow | null {
  for (const pathOf of PATHS_OF) {
    const found = documents.find((document) => isAsked(asked, pathOf(document)));
    if (found !== undefined) return found;
  }
  return null;
}
