import type { Outcome } from "../../model/action.ts";
import type { LocalPath } from "../../../contract/path.ts";
import type { Intent, OpenIntent } from "../../ports/state.ts";
import type { PassContext } from "../run/pass-context.ts";
import type { FolderMove, Post } from "./open-posts.ts";
import { createRemote, readCreated } from "../apply/create-remote.ts";
import { deleteDocument } from "../apply/delete-document.ts";
import { makeFolderRemote, removeFolderRemote } from "../apply/folder.ts";
import { moveFolderRemote } from "../apply/folder-move.ts";
import { protectDocument } from "../apply/protect.ts";
import { moveDocument } from "../apply/move-document.ts";
import { putContent } from "../apply/put.ts";
import { type Phase, recoverEffect } from "../apply/run-effect.ts";
import { whyOpen } from "../apply/unsettled.ts";
import { isLocal, type LocalIntent } from "./recover.ts";

export type OpenWrites = {
  readonly ids: ReadonlyMap<string, string>;
  readonly paths: ReadonlyMap<LocalPath, string>;
  /** Those of `paths` that belong to new documents. */
  readonly posts: ReadonlyMap<Post, string>;
  readonly folderMoves: ReadonlyMap<FolderMove, string>;
};

/**
 * The second part of recovery: finds out the result of each write by a read, before the first plan
 * (I13). Returns the writes whose results stay unknown.
 */
export async function recoverRemote(ctx: PassContext, intents: readonly OpenIntent[]): Promise<OpenWrites> {
  const open: OpenMaps = { ids: new Map(), paths: new Map(), posts: new Map(), folderMoves: new Map() };
  // ORDER: one after the other, as they were written: two rows of one document may depend on each
  // other.
  let unreachable: Outcome | null = null;
  for (const { intentId, intent } of intents) {
    if (isLocal(intent) || intent.kind === "create" || intent.kind === "sent") continue;
    const outcome: Outcome = unreachable ?? (await concludeByRead(ctx, intentId, intent));
    if (outcome.kind === "later" && outcome.unreachable) unreachable = outcome;
    const why = whyOpen(outcome);
    if (why !== null) noteOpen(open, intent, `the service has not confirmed a change yet: ${why}`);
  }
  return open;
}

type OpenMaps = {
  readonly ids: Map<string, string>;
  readonly paths: Map<LocalPath, string>;
  readonly posts: Map<Post, string>;
  readonly folderMoves: Map<FolderMove, string>;
};

function noteOpen({ ids, paths, posts, folderMoves }: OpenMaps, intent: RemoteIntent, why: string): void {
  if ("id" in intent) ids.set(intent.id, why);
  else if ("localPath" in intent) paths.set(intent.localPath, why);
  if (intent.kind === "post") posts.set(intent, why);
  if (intent.kind === "patch-folder") folderMoves.set(intent, why);
}

type RemoteIntent = Exclude<Intent, LocalIntent | { kind: "create" | "sent" }>;

const EFFECTS: { readonly [K in RemoteIntent["kind"]]: Phase<Extract<RemoteIntent, { kind: K }>, unknown> } = {
  put: putContent,
  post: createRemote,
  "read-back": readCreated,
  patch: moveDocument,
  delete: deleteDocument,
  protect: protectDocument,
  "post-folder": makeFolderRemote,
  "patch-folder": moveFolderRemote,
  "delete-folder": removeFolderRemote,
};

/** Finds out the result of a write of an earlier run, or from before a crash, by a read (I08). */
export function concludeByRead(ctx: PassContext, intentId: number, intent: RemoteIntent): Promise<Outcome> {
  return recoverEffect(ctx, EFFECTS[intent.kind] as Phase<RemoteIntent, unknown>, intentId, intent, null);
}
