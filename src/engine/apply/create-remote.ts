import type { ActionOf, Outcome } from "../../model/action.ts";
import type { Digest } from "../../model/digest.ts";
import { mayBeNormalised, plainsToRead } from "../../model/text-form.ts";
import type { Fault } from "../../ports/remote.ts";
import type { Intent } from "../../ports/state.ts";
import { newLink } from "../../model/settle.ts";
import { asItLeadsNow, contentCodeOf, eventOf, makeHold, outcomeOfFault, readUnkept, stale } from "./effect.ts";
import { commitAndOpen, commitWithOthers, openIntentWithOthers } from "./commit.ts";
import { settlePost } from "../journal/settle-post.ts";
import { seenHere } from "./text-name.ts";
import { fromService, toService } from "../run/world.ts";
import type { PassContext } from "../run/pass-context.ts";
import { keepReadBack } from "./read-back.ts";
import { readCreated } from "./read-created.ts";
import { noteRefused, refusedBefore } from "./refused-before.ts";
import { judgeTaken, learnedNames, MORE_REFUSED, saysTaken } from "./in-the-way.ts";

/**
 * Creates the document on the service. If its path is taken by something that the listing does not
 * show, it is held and not sent again.
 */
export async function createRemote(ctx: PassContext, planned: ActionOf<"create-remote">): Promise<Outcome> {
  const { remote, state } = ctx.world;
  const action = asItLeadsNow(ctx, planned, null);
  const local = await readUnkept(ctx, action.localPath, action.expect);
  if (local.kind === "end") return local.outcome;
  const request = `${action.remotePath} ${action.expect}`;
  const refused = refusedBefore(ctx, request, { key: action.localPath, path: action.localPath });
  if (refused !== null) return refused;
  const intent = {
    kind: "post",
    localPath: action.localPath,
    remotePath: action.remotePath,
    digest: action.expect,
    replaces: action.tombstone,
    stamp: local.value.stamp,
  } as const satisfies Intent;
  const intentId = await openIntentWithOthers(ctx, intent, {
    digest: action.expect,
    text: local.value.text,
    name: seenHere(action.localPath, null),
  });
  const answer = await remote.createFile(toService(ctx.world, action.remotePath), local.value.text);
  if (!answer.ok) {
    if (answer.fault.kind === "uncertain") return settlePost(ctx, intentId, intent, answer.fault);
    state.closeIntent(intentId);
    return noteRefused(ctx, request, await refusedPost(ctx, action, answer.fault));
  }
  const { id, lastChangeId, path } = answer.value;
  const remotePath = fromService(ctx.world, path) ?? action.remotePath;
  const sent = {
    changeId: lastChangeId,
    digest: action.expect,
    localDigest: action.expect,
    stamp: local.value.stamp,
    stampTrusted: local.value.stampTrusted,
  };
  const link = newLink(id, action.localPath, remotePath, answer.value.protected, { ...sent, durable: true });
  ctx.notes.counts.createdRemote++;
  const event = eventOf(action, "remote", { id, after: action.expect });
  const version = { id, changeId: lastChangeId, digest: action.expect };
  // Its version may be of another text by now, which somebody wrote there since (I12).
  const isOther = (keepReadBack(ctx, answer.value, action.localPath) ?? action.expect) !== action.expect;
  const isReadBack = mustBeReadBack(ctx, local.value.text) || isOther;
  const change = { link, version, closes: intentId, replaces: action.tombstone, event };
  if (!isReadBack) return commitWithOthers(ctx, change);
  return readCreated(ctx, await commitAndOpen(ctx, change, { kind: "read-back", ...version }), link);
}

/**
 * Whether a new document must be read back, because a 201 shows no text. Once enough were read back
 * unchanged, a POST is all that a new document costs.
 */
function mustBeReadBack({ world, notes, traitsAtStart }: PassContext, text: string): boolean {
  const isOneOfTheFirst = notes.tally.created++ < plainsToRead(traitsAtStart.keptForms);
  return isOneOfTheFirst || mayBeNormalised(text, world.remote.traits().keptForms);
}

async function refusedPost(ctx: PassContext, action: ActionOf<"create-remote">, fault: Fault): Promise<Outcome> {
  if (fault.kind !== "problem" || fault.status === 404) return outcomeOfFault(fault);
  const fields = {
    key: action.localPath,
    path: action.localPath,
    code: contentCodeOf(fault),
    detail: fault.detail,
    requestId: fault.requestId,
    digest: action.expect,
  };
  if (saysTaken(fault)) {
    const { kind, detail } = await judgeTaken(ctx, action.remotePath, null);
    if (kind === "stale") return stale(detail);
    return outcomeOfFault(fault, makeHold(ctx, { ...fields, detail, reason: "occupied-unseen", digest: null }));
  }
  const aboutName = fault.pointers.some((pointer) => pointer === "/path" || pointer === "/name");
  if (aboutName && learnedNames(ctx)) return stale(MORE_REFUSED);
  const reason = fault.status === 403 ? "read-only" : "refused";
  return outcomeOfFault(
    fault,
    makeHold(ctx, { ...fields, reason, digest: reason === "read-only" ? null : (action.expect as Digest) }),
  );
}
