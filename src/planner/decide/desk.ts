import type { Action } from "../../model/action.ts";
import type { Drift } from "../drift/drift.ts";
import { HOLD_REASONS, type HoldReason } from "../../model/hold.ts";
import type { Conflict, Hold } from "../../model/link.ts";
import type { AnyBody, DocumentBody, FolderBody, Place } from "../match/body.ts";
import type { Forest } from "../match/forest.ts";
import type { Matched } from "../match/match.ts";
import { listClaimants, standingKeys } from "./absence.ts";
import { fileInodeKey } from "../match/inode.ts";
import { type LocalPath, parentOf, type RemotePath } from "../../model/path.ts";
import { once } from "../../model/once.ts";
import type { Policy } from "../../model/policy.ts";
import type { LocalOther, TextLookup, Trees } from "../../model/tree.ts";
import type { SlotMap } from "./slots.ts";

/** Where decisions are put down: what every rule of a plan reads and writes. */
export type Desk = {
  readonly trees: Trees;
  readonly policy: Policy;
  readonly texts: TextLookup;
  readonly forest: Forest;
  readonly documents: DocumentBody[];
  readonly drafts: Map<AnyBody, Draft[]>;
  readonly holds: Map<string, Hold>;
  readonly drifts: Map<DocumentBody, Drift>;
  /**
   * Open conflicts whose sidecar must stand beside its document: where it stands, and where the
   * record says it does.
   */
  readonly sidecars: Map<DocumentBody, { readonly recorded: LocalPath; readonly stands: Place }>;
  /** Open conflicts by the path at which base has their sidecar. */
  readonly sidecarOwners: () => ReadonlyMap<LocalPath, Conflict>;
  /** Folders that directly hold documents on which nothing is to be done. */
  readonly quietFolders: Matched["quietFolders"];
  /** Folders of the service that hold a shown document directly. */
  readonly populated: () => ReadonlySet<RemotePath>;
  /** Ignored, dot and other unmirrored files, by inode. */
  readonly othersByInode: () => ReadonlyMap<string, LocalOther>;
  /**
   * Bodies by the slots on disk that each has now and by this plan. Asked for only when all is
   * decided.
   */
  readonly claimants: () => SlotMap<AnyBody[]>;
  /** Keys of paths on disk before it. */
  readonly standingKeys: () => ReadonlySet<string>;
  /** What makes room here for the service's row, by the name that it gets. */
  readonly gaveWay: Map<AnyBody, string>;
  /** Bodies whose place changes or is to be recorded, and why: a clause for people. */
  readonly whys: Map<AnyBody, string>;
};

export function openDesk(trees: Trees, policy: Policy, texts: TextLookup, matched: Matched): Desk {
  const desk: Desk = {
    trees,
    policy,
    texts,
    forest: matched.forest,
    documents: matched.documents,
    quietFolders: matched.quietFolders,
    drafts: new Map(),
    holds: new Map(),
    drifts: new Map(),
    whys: new Map(),
    gaveWay: new Map(),
    sidecars: new Map(),
    sidecarOwners: once(() => new Map([...trees.base.conflicts.values()].map((one) => [one.sidecarPath, one]))),
    populated: once(() => new Set([...trees.remote.files.values()].map((file) => parentOf(file.path)))),
    othersByInode: once(() => {
      const index = new Map<string, LocalOther>();
      for (const other of trees.local.others.values()) {
        const key = fileInodeKey(other.stamp);
        if (key !== null) index.set(key, other);
      }
      return index;
    }),
    claimants: once(() => listClaimants(desk)),
    standingKeys: once(() => standingKeys(desk)),
  };
  return desk;
}

/** The paths at which an action will find and leave its document, when its turn comes. */
export type At = {
  readonly local: LocalPath;
  readonly remote: RemotePath;
  /** The path of any place on disk at that moment. */
  readonly pathOf: (place: Place) => LocalPath;
};

/**
 * An action whose paths are not known before its turn. `role`: what it needs and changes.
 * - `before`: first of its body's. `arrive-*`, `leave-*`: makes or removes the body on that side.
 * - `content`: reads and writes the text, where the file then is. `record`: writes its places down,
 * after they are reached.
 * - `note`: changes base alone and needs no path.
 */
export type Draft = {
  readonly role:
    | "before"
    | "arrive-local"
    | "arrive-remote"
    | "leave-local"
    | "leave-remote"
    | "content"
    | "record"
    | "note";
  readonly make: (at: At) => Action;
};

export function draft(desk: Desk, body: AnyBody, role: Draft["role"], make: Draft["make"]): void {
  const list = desk.drafts.get(body);
  if (list === undefined) desk.drafts.set(body, [{ role, make }]);
  else list.push({ role, make });
}

type FolderLink = Pick<Extract<Action, { kind: "link-folder" }>, "dirId" | "carries"> & { readonly why: string };

/** That both sides hold a folder, where it stands by then. */
export function draftFolderLink(desk: Desk, folder: FolderBody, link: FolderLink): void {
  draft(desk, folder, "record", (at) => ({
    kind: "link-folder",
    ...link,
    localPath: at.local,
    remotePath: at.remote,
  }));
}

export function withdraw(desk: Desk, body: AnyBody, role: Draft["role"]): void {
  const list = desk.drafts.get(body);
  if (list !== undefined)
    desk.drafts.set(
      body,
      list.filter((one) => one.role !== role),
    );
}

export type HoldFacts = Partial<Pick<Hold, "code" | "digest" | "changeId">>;

/**
 * Puts down a hold; one a row, a remembered one before a computed one, else the first.
 * `since` is kept from the state; 0 stands for "now", which only the engine knows.
 */
export function hold(
  desk: Desk,
  key: string,
  path: LocalPath,
  reason: HoldReason,
  detail: string,
  facts: HoldFacts = {},
): void {
  const standing = desk.holds.get(key);
  if (standing !== undefined) return;
  const before = desk.trees.base.holds.get(key);
  const since = before?.reason === reason ? before.since : 0;
  desk.holds.set(key, {
    key,
    path,
    reason,
    code: null,
    detail,
    requestId: null,
    digest: null,
    changeId: null,
    since,
    ...facts,
  });
}

/** Keeps a remembered hold in force as it is. */
export function keepHold(desk: Desk, remembered: Hold): void {
  desk.holds.set(remembered.key, remembered);
}

export function isRemembered(one: Hold): boolean {
  return HOLD_REASONS[one.reason].kept === "remembered";
}

export function holdDocument(
  desk: Desk,
  body: DocumentBody,
  reason: HoldReason,
  detail: string,
  facts?: HoldFacts,
): void {
  hold(desk, keyOf(body), pathOfDocument(body), reason, detail, facts);
}

export function keyOf(body: DocumentBody): string {
  return body.id ?? pathOfDocument(body);
}

export function pathOfDocument(body: DocumentBody): LocalPath {
  if (body.local.seen.kind === "present") return body.local.seen.value.path;
  if (body.link !== null) return body.link.localPath;
  return body.remote.seen.kind === "present" ? body.remote.seen.file.path : "";
}

export function holdFolder(desk: Desk, folder: FolderBody, reason: HoldReason, detail: string): void {
  const path = folder.localPath ?? folder.link?.localPath ?? folder.remotePath ?? "";
  hold(desk, folder.dirId ?? path, path, reason, detail);
}
