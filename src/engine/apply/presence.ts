import type { Action, Outcome } from "../../core/action.ts";
import type { Intent } from "../../core/ports/state.ts";
import { newLink } from "../../core/settle.ts";
import { commit, endLink, fetchText, outcomeOfDisk, outcomeOfFault, type RemoteText, stale } from "../effect.ts";
import { settleIntent } from "../settle-writes.ts";
import { type PassContext, recordEvent, trashPlace } from "../world.ts";
import { ensureFolders } from "./parents.ts";
import { didNotHappen } from "../unsettled.ts";

type Of<Kind extends Action["kind"]> = Extract<Action, { kind: Kind }>;

/** Gone from the service: the local text goes to the trash as a plain file, and the link becomes a tombstone that its id can take back. */
export function trashLocal(ctx: PassContext, action: Of<"trash-local">): Outcome {
  const { disk, state } = ctx.world;
  const link = state.link(action.id);
  if (link === null) return stale("its link went meanwhile");
  const place = trashPlace(ctx.world, action.localPath);
  const intentId = state.openIntent(ctx.run, { kind: "trash", id: action.id, path: action.localPath, parkAt: place });
  const end = disk.trash(action.localPath, action.expect, place);
  if (end.kind !== "done") {
    // Left open only if something stayed aside: recovery puts it back.
    if (!end.parked) state.closeIntent(intentId);
    return outcomeOfDisk(end);
  }
  ctx.counts.deletedLocal++;
  const outside = action.cause === "outside";
  return commit(ctx, {
    closes: intentId,
    also: () => {
      if (outside) return state.putLink({ ...link, standing: "outside", stamp: null, stampTrusted: false });
      endLink(ctx, link, place);
    },
    event: {
      kind: action.kind,
      side: "local",
      id: action.id,
      path: action.localPath,
      detail: `${action.why}; kept as .mdmirror/${place}`,
      before: action.expect,
    },
  });
}

/** Deleted here: looked at again, read again, then DELETE. An edit there wins; what the service refuses to delete comes back. */
export async function deleteRemote(ctx: PassContext, action: Of<"delete-remote">): Promise<Outcome> {
  const { disk, remote, state } = ctx.world;
  const link = state.link(action.id);
  if (link === null) return stale("its link went meanwhile");
  const look = disk.look(action.localPath);
  if (look.kind !== "absent") return stale("something is at its path again");
  const fetched = await fetchText(ctx, action.id, action.localPath);
  if (fetched.kind === "end") return fetched.outcome;
  if (fetched.value.file.lastChangeId !== action.changeId) return stale("it was edited on the service meanwhile");
  const intent = {
    kind: "delete",
    id: action.id,
    localPath: action.localPath,
    changeId: action.changeId,
  } as const satisfies Intent;
  // RACE: between this read and the DELETE somebody may edit it; the contract has no conditional DELETE. The text read is in the text store.
  const intentId = state.openIntent(ctx.run, intent);
  const answer = await remote.deleteFile(action.id);
  const gone = !answer.ok && answer.fault.kind === "problem" && answer.fault.status === 404;
  if (answer.ok || gone) {
    ctx.counts.deletedRemote++;
    return commit(ctx, {
      closes: intentId,
      also: () => {
        endLink(ctx, link, null);
      },
      event: {
        kind: action.kind,
        side: "remote",
        id: action.id,
        path: action.localPath,
        detail: action.why,
        before: link.digest,
      },
    });
  }
  if (answer.fault.kind === "uncertain") {
    const settled = await settleIntent(ctx, intentId, intent);
    return settled.kind === "done" && state.link(action.id) !== null ? didNotHappen("deletion", answer.fault) : settled;
  }
  state.closeIntent(intentId);
  const refused = outcomeOfFault(answer.fault);
  if (refused.kind === "refused") return comeBack(ctx, action, fetched.value, refused);
  return refused;
}

/** The service refuses the deletion (protected, in review, no grant): the file comes back, and the run says why. */
function comeBack(
  ctx: PassContext,
  action: Of<"delete-remote">,
  live: RemoteText,
  refused: Extract<Outcome, { kind: "refused" }>,
): Outcome {
  const { disk, state } = ctx.world;
  const link = state.link(action.id);
  const parents = ensureFolders(ctx, action.localPath);
  if (parents !== null) return parents;
  const made = disk.create(action.localPath, live.text);
  if (made.kind !== "done" || link === null) return made.kind === "done" ? refused : outcomeOfDisk(made);
  ctx.counts.createdLocal++;
  ctx.toFlush.set(action.id, action.localPath);
  const version = { changeId: live.file.lastChangeId, digest: live.digest };
  commit(ctx, {
    link: newLink(action.id, action.localPath, link.remotePath, live.file.protected, {
      ...version,
      localDigest: live.digest,
      stamp: made.value.stamp,
      stampTrusted: false,
      durable: false,
    }),
    version: { id: action.id, ...version },
    event: {
      kind: action.kind,
      side: "local",
      id: action.id,
      path: action.localPath,
      detail: `the service refused to delete it, so the file came back: ${refused.detail}`,
      outcome: "refused",
      code: refused.code,
      requestId: refused.requestId,
      after: live.digest,
    },
  });
  return refused;
}

export function forget(ctx: PassContext, action: Of<"forget">): Outcome {
  const { state } = ctx.world;
  const link = state.link(action.id);
  if (link === null) return { kind: "done" };
  return commit(ctx, {
    also: () => {
      endLink(ctx, link, null);
    },
    event: {
      kind: action.kind,
      side: "both",
      id: action.id,
      path: action.localPath,
      detail: action.why,
      before: link.digest,
    },
  });
}

/** Facts that are neither text nor place. */
export function noteFacts(ctx: PassContext, action: Of<"note-facts">): Outcome {
  const { state } = ctx.world;
  const link = state.link(action.id);
  if (link === null) return stale("its link went meanwhile");
  state.transact(() => {
    state.putLink({ ...link, protected: action.protected, standing: action.standing });
    recordEvent(ctx.world, ctx.run, {
      kind: action.kind,
      side: "both",
      id: action.id,
      path: link.localPath,
      detail: action.why,
    });
  });
  return { kind: "done" };
}
