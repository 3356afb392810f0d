import type { ActionOf, Outcome } from "../../model/action.ts";
import { digestOf } from "../../model/digest.ts";
import type { Link, Stamp } from "../../model/link.ts";
import type { Fault, PutResult } from "../../ports/remote.ts";
import type { Intent } from "../../ports/state.ts";
import { moveBase, noteEcho, submit } from "../../model/settle.ts";
import {
  asItLeadsNow,
  contentCodeOf,
  ended,
  eventOf,
  fetchText,
  got,
  leftAlone,
  makeHold,
  outcomeOfFault,
  readUnkept,
  stale,
  type Got,
  type LocalRead,
  type RemoteText,
} from "./effect.ts";
import { commit, commitWithOthers, hasAnotherId, openIntentWithOthers, withIdNow } from "./commit.ts";
import { codeOf } from "./emptied.ts";
import { holdBase } from "./hold-base.ts";
import { landText } from "./land-text.ts";
import { settlePut } from "../journal/settle-writes.ts";
import { stillInReview } from "./in-review.ts";
import { noteRefused, refusedBefore } from "./refused-before.ts";
import { seenHere, seenThere } from "./text-name.ts";
import type { PassContext } from "../run/pass-context.ts";

/**
 * Sends the local text as a PUT on the base version. Afterwards both sides hold what the service
 * saved.
 */
export async function put(ctx: PassContext, planned: ActionOf<"put">): Promise<Outcome> {
  const { remote, state } = ctx.world;
  const action = asItLeadsNow(ctx, planned, planned.id);
  const link = state.link(action.id);
  if (link === null || link.changeId !== action.baseChangeId) return stale("its base moved meanwhile");
  const local = await readUnkept(ctx, action.localPath, action.expect);
  if (local.kind === "end") return local.outcome;
  const request = `${action.id} ${link.changeId} ${action.expect}`;
  const refused = refusedBefore(ctx, request, { key: action.id, path: action.localPath });
  if (refused !== null) return refused;
  const lost = await holdBase(ctx, link, action.localPath);
  if (lost !== null) return lost;
  const intent = {
    kind: "put",
    id: action.id,
    localPath: action.localPath,
    baseChangeId: link.changeId,
    baseDigest: link.digest,
    digest: action.expect,
    review: action.review,
    stamp: local.value.stamp,
  } as const satisfies Intent;
  const intentId = await openIntentWithOthers(ctx, intent, {
    digest: action.expect,
    text: local.value.text,
    name: seenHere(action.localPath, action.id),
  });
  const answer = await remote.putContent(action.id, link.changeId, local.value.text);
  if (!answer.ok) {
    if (answer.fault.kind === "uncertain") return settlePut(ctx, intentId, intent, answer.fault);
    state.closeIntent(intentId);
    return noteRefused(ctx, request, await refusedPut(ctx, action, link, answer.fault));
  }
  if (answer.value.kind === "in-review") {
    return noteSubmission(ctx, link, action, { intentId, stamp: local.value.stamp, review: answer.value });
  }
  if (isContradiction(link, answer.value)) {
    const detail = "the service answered that it saved new content, but returned the previous version";
    return settlePut(ctx, intentId, intent, { kind: "uncertain", detail, requestId: answer.requestId });
  }
  const saved = await savedVersion(ctx, action, answer.value, link.digest);
  // The service has saved it, but which version it is now is not known. The intent stays open
  // until a read tells.
  if (saved.kind === "end")
    return {
      kind: "uncertain",
      detail: "uploaded, but the new version could not be read",
      requestId: answer.requestId,
    };
  return landSaved(ctx, link, action, local.value, intentId, saved.value);
}

/**
 * A version has one text. Where the answer shows base's version with another one, the text may not
 * have been saved (a cache between, a write that was lost): taken for saved, it would be lost with
 * the next edit there.
 */
function isContradiction(link: Link, { changeId, content }: Extract<PutResult, { kind: "live" }>): boolean {
  return changeId === link.changeId && content?.isWellFormed() === true && digestOf(content) !== link.digest;
}

type Saved = Pick<RemoteText, "text" | "digest"> & { readonly changeId: Link["changeId"] };

/** What goes into the file in place of the text that was sent is read, not only told. */
async function savedVersion(
  ctx: PassContext,
  action: ActionOf<"put">,
  { changeId, content }: Extract<PutResult, { kind: "live" }>,
  baseDigest: Link["digest"],
): Promise<Got<Saved>> {
  if (content?.isWellFormed()) {
    const digest = digestOf(content);
    // The sent text is in the store since the intent was opened. Where the answer has no change
    // id, the text that is read back may be another one; it is kept as well (I03).
    if (digest !== action.expect) ctx.world.state.putKnownText(digest, content, seenThere(action.localPath, action.id));
    const isExpected = digest === action.expect || digest === baseDigest;
    if (changeId !== null && isExpected) return got({ text: content, digest, changeId });
  }
  const fetched = await fetchText(ctx, action.id, action.localPath);
  if (fetched.kind === "end") return fetched;
  return got({ text: fetched.value.text, digest: fetched.value.digest, changeId: fetched.value.file.lastChangeId });
}

type Submitted = {
  readonly intentId: number;
  readonly stamp: Stamp;
  readonly review: Extract<PutResult, { kind: "in-review" }>;
};

function noteSubmission(
  ctx: PassContext,
  link: Link,
  action: ActionOf<"put">,
  { intentId, stamp, review }: Submitted,
): Outcome {
  ctx.notes.counts.submitted++;
  const { changeId, reason } = review;
  const told = { ...(changeId === null ? {} : { changeId }), ...(reason === null ? {} : { reason }) };
  // On a service that gives a new change id on a rename, a rename made beside this PUT has moved
  // base's id. A text in review makes no new version, so the newer id stays.
  const current = ctx.world.state.link(link.id) ?? link;
  commit(ctx, {
    text: submit(current, action.expect, ctx.world.clock.now(), stamp, told),
    closes: intentId,
    event: eventOf(action, "remote", {
      detail: reason === "conflict" ? "in review, because it conflicts with another edit" : "sent to review",
      outcome: "submitted",
      before: link.digest,
      after: action.expect,
    }),
  });
  return reason === "conflict" ? { kind: "submitted", met: true } : { kind: "submitted" };
}

/**
 * Three cases of what the service saved: the text that was sent; the base's own text (a service
 * that normalises); or a third one, which is merged into the file.
 */
async function landSaved(
  ctx: PassContext,
  link: Link,
  action: ActionOf<"put">,
  local: LocalRead,
  intentId: number,
  saved: Saved,
): Promise<Outcome> {
  const detail = action.why + stillInReview(link);
  const loss = codeOf(ctx.world, link.digest, saved.text);
  const event = eventOf(action, "remote", { detail, before: link.digest, after: saved.digest, ...loss });
  const version = { id: action.id, changeId: saved.changeId, digest: saved.digest };
  const base = { changeId: saved.changeId, digest: saved.digest, localDigest: saved.digest };
  ctx.notes.counts.uploaded++;
  if (saved.digest === action.expect) {
    const { stamp, stampTrusted } = local;
    const text = moveBase(link, { ...base, stamp, stampTrusted, durable: true });
    return commitWithOthers(ctx, { text, version, closes: intentId, event });
  }
  if (saved.digest === link.digest) {
    const isOther = hasAnotherId(ctx, link);
    const known = isOther ? withIdNow(ctx, link).changeId : saved.changeId;
    const echoed = "saved without a change: the service normalises the difference";
    const done = commit(ctx, {
      text: noteEcho(link, known, action.expect),
      closes: intentId,
      event: { ...event, detail: echoed },
    });
    return isOther ? stale("its base moved meanwhile") : done;
  }
  const inUse = leftAlone(ctx, action);
  const landed =
    inUse === null
      ? landText(ctx, action.id, action.localPath, saved.text, saved.digest, action.expect, link, saved)
      : ended(inUse);
  if (landed.kind === "end") {
    // Somebody saved the file meanwhile, or has it in hand: base stays as it was, and the next pass
    // merges that text with what the service saved.
    ctx.world.state.closeIntent(intentId);
    return landed.outcome;
  }
  return commit(ctx, {
    text: moveBase(link, { ...base, stamp: landed.value.stamp, stampTrusted: false, durable: false }),
    version,
    landed: landed.value,
    closes: intentId,
    event: { ...event, side: "both", detail: `${detail}; the service changed it while saving (merged or normalised)` },
  });
}

/**
 * The service refused the PUT for good. If the document has a newer version, the next pass merges
 * and sends again; else the text is held until it changes.
 */
async function refusedPut(ctx: PassContext, action: ActionOf<"put">, link: Link, fault: Fault): Promise<Outcome> {
  if (fault.kind !== "problem" || fault.status === 404) return outcomeOfFault(fault);
  const standing = await readRefused(ctx, action, link);
  if (standing.kind === "end") return standing.outcome;
  const isRead = standing.value === "same";
  if (isRead && fault.code === "invalid_base_change") ctx.notes.tally.refusedBases++;
  const hold = makeHold(ctx, {
    key: action.id,
    path: action.localPath,
    // Without a grant every text is refused; any other refusal is about this one.
    ...(fault.status === 403 ? { reason: "read-only" } : { reason: "refused", digest: action.expect }),
    code: contentCodeOf(fault),
    detail: fault.detail,
    requestId: fault.requestId,
    changeId: isRead ? null : link.changeId,
  });
  return outcomeOfFault(fault, hold);
}

/**
 * The service refused the PUT and then could not be read. The text is held all the same, so that it
 * is not sent again unchanged (I08); the hold ends with a newer version.
 */
async function readRefused(ctx: PassContext, action: ActionOf<"put">, link: Link): Promise<Got<"same" | "unread">> {
  const live = await fetchText(ctx, action.id, action.localPath);
  if (live.kind === "end") return saysNothing(live.outcome) ? got("unread") : live;
  if (live.value.file.lastChangeId !== link.changeId) return ended(stale("it was edited on the service meanwhile"));
  return got("same");
}

/** Whether the outcome of a read leaves open how the document stands. */
function saysNothing(outcome: Outcome): boolean {
  return outcome.kind === "later" || (outcome.kind === "refused" && outcome.hold === null);
}
