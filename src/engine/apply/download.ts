import type { ActionOf, Outcome } from "../../model/action.ts";
import { sameExceptTextForm } from "../../model/text-form.ts";
import { parentOf } from "../../model/path.ts";
import { moveBase, newLink, renameVersion } from "../../model/settle.ts";
import {
  commit,
  commitWithOthers,
  fetchText,
  fetchUnkept,
  landText,
  outcomeOfDisk,
  readLocal,
  stale,
  whereItStands,
} from "./effect.ts";
import { seenThere } from "./text-name.ts";
import { fromService } from "../run/world.ts";
import type { PassContext } from "../run/pass-context.ts";
import { openConflict } from "./conflict.ts";
import { ensureFolders } from "./parents.ts";

/**
 * GET, then a new file. A crash before the commit leaves an unlinked file that the next pass meets
 * and adopts.
 */
export async function createLocal(ctx: PassContext, action: ActionOf<"create-local">): Promise<Outcome> {
  const { disk, state } = ctx.world;
  const fetched = await fetchUnkept(ctx, action.id, action.localPath);
  if (fetched.kind === "end") return fetched.outcome;
  const { file, text, digest } = fetched.value;
  // Shown once, it may be edited there before a next pass reads it (I03).
  const notMade = (outcome: Outcome): Outcome => {
    state.putKnownText(digest, text, seenThere(action.localPath, action.id));
    return outcome;
  };
  if (fromService(ctx.world, file.path) !== action.remotePath)
    return notMade(stale("it was moved on the service meanwhile"));
  state.prepareText(digest, text);
  let made = await ctx.group.create({ path: action.localPath, text });
  // Almost always the folder is there; a look at it before each file would be a tenth of the file's
  // price.
  if (made.kind === "stale" && disk.look(parentOf(action.localPath)).kind === "absent") {
    const parents = ensureFolders(ctx, action.localPath);
    if (parents !== null) return notMade(parents);
    made = disk.create(action.localPath, text);
  }
  if (made.kind !== "done") return notMade(outcomeOfDisk(made));
  ctx.notes.toFlush.set(action.id, action.localPath);
  ctx.notes.counts.createdLocal++;
  const version = { changeId: file.lastChangeId, digest };
  return commitWithOthers(ctx, {
    keeps: fetched.value,
    link: newLink(action.id, action.localPath, action.remotePath, file.protected, {
      ...version,
      localDigest: digest,
      stamp: made.value.stamp,
      stampTrusted: false,
      durable: false,
    }),
    version: { id: action.id, ...version },
    also: () => {
      state.removeTombstone(action.id);
      state.removeConflict(action.id);
    },
    event: {
      kind: action.kind,
      side: "local",
      id: action.id,
      path: action.localPath,
      detail: action.why,
      after: digest,
    },
  });
}

/**
 * GET, then the journalled replace. A change id that moved without a new text only moves the id.
 */
export async function writeLocal(ctx: PassContext, action: ActionOf<"write-local">): Promise<Outcome> {
  const link = ctx.world.state.link(action.id);
  if (link === null) return stale("its link went meanwhile");
  const fetched = await fetchText(ctx, action.id, action.localPath);
  if (fetched.kind === "end") return fetched.outcome;
  const { file, text, digest } = fetched.value;
  if (digest === link.digest) {
    const renamed = whereItStands(ctx, renameVersion(link, file.lastChangeId));
    ctx.world.state.transact(() => {
      ctx.world.state.putLink({ ...renamed, protected: file.protected });
      // Shown again once it was superseded, it tells of a service that was put back.
      ctx.world.state.addVersion({ id: link.id, changeId: renamed.changeId, digest, at: ctx.world.clock.now() });
    });
    return { kind: "done" };
  }
  const landed = landText(ctx, action.id, action.localPath, text, digest, action.expect, link);
  if (landed.kind === "end") return landed.outcome;
  ctx.notes.counts.downloaded++;
  const version = { changeId: file.lastChangeId, digest };
  return commit(ctx, {
    text: moveBase(link, {
      ...version,
      localDigest: digest,
      stamp: landed.value.stamp,
      stampTrusted: false,
      durable: landed.value.parked === null,
    }),
    version: { id: action.id, ...version },
    landed: landed.value,
    event: {
      kind: action.kind,
      side: "local",
      id: action.id,
      path: action.localPath,
      detail: action.why,
      before: action.expect,
      after: digest,
    },
  });
}

/**
 * Both sides have a document of their own at one path, and no base. Equal texts, also but for line
 * ends, BOM and final newline, are linked and the bytes left alone; else the preference of the
 * first sync decides, else it is a conflict with an empty base. Nothing is overwritten (I05) but by
 * a preference that was asked for, and then the loser is in the text store.
 */
export async function meet(ctx: PassContext, action: ActionOf<"meet">): Promise<Outcome> {
  const { state } = ctx.world;
  const local = readLocal(ctx, action.id, action.localPath, action.expect);
  if (local.kind === "end") return local.outcome;
  const fetched = await fetchText(ctx, action.id, action.localPath);
  if (fetched.kind === "end") return fetched.outcome;
  const { file, text, digest } = fetched.value;
  if (fromService(ctx.world, file.path) !== action.remotePath) return stale("it was moved on the service meanwhile");
  const version = { changeId: file.lastChangeId, digest };
  const { stamp, stampTrusted } = local.value;
  const adopted = newLink(action.id, action.localPath, action.remotePath, file.protected, {
    ...version,
    localDigest: action.expect,
    stamp,
    stampTrusted,
    durable: true,
  });
  const event = {
    kind: action.kind,
    side: "both",
    id: action.id,
    path: action.localPath,
    before: action.expect,
  } as const;
  const adopt = (detail: string, link = adopted) =>
    commit(ctx, {
      link,
      version: { id: action.id, ...version },
      also: () => state.removeTombstone(action.id),
      event: { ...event, detail, after: digest },
    });
  if (digest === action.expect) return adopt("equal texts: linked");
  if (sameExceptTextForm(local.value.text, text))
    return adopt("equal but for line ends, BOM or final newline: linked, bytes left alone");
  const { prefer } = ctx.settings;
  // The remote version becomes the base under the local text: it is sent as an edit of it, and both
  // texts are kept.
  if (prefer === "local") return adopt("both new, local preferred", { ...adopted, localDigest: digest });
  if (prefer === "remote" && ctx.settings.direction !== "push-only") {
    const landed = landText(ctx, action.id, action.localPath, text, digest, action.expect, null);
    if (landed.kind === "end") return landed.outcome;
    ctx.notes.counts.downloaded++;
    return commit(ctx, {
      link: { ...adopted, localDigest: digest, stamp: landed.value.stamp, stampTrusted: false, durable: false },
      version: { id: action.id, ...version },
      landed: landed.value,
      event: { ...event, detail: "both new, remote preferred", after: digest },
    });
  }
  return openConflict(
    ctx,
    { ...adopted, localDigest: digest },
    action.localPath,
    fetched.value,
    null,
    "both sides are new at this path, with different texts",
  );
}
