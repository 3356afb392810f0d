import type { ChangeId, DocId } from "../../../contract/ids.ts";
import type { ActionOf, Outcome } from "../../model/action.ts";
import type { Digest } from "../../../contract/digest.ts";
import type { RemotePath } from "../../../contract/path.ts";
import { newLink } from "../../model/settle.ts";
import { mayBeNormalised, plainsToRead, sameExceptTextForm } from "../../model/text-form.ts";
import type { Fault } from "../../ports/remote.ts";
import type { Intent } from "../../ports/state.ts";
import type { PassContext } from "../run/pass-context.ts";
import { fromService, toService } from "../run/world.ts";
import {
  asItLeadsNow,
  contentCodeOf,
  DONE,
  fetchText,
  got,
  makeHold,
  outcomeOfFault,
  readUnkept,
  stale,
} from "./effect.ts";
import { judgeTaken, learnedNames, MORE_REFUSED, saysTaken } from "./in-the-way.ts";
import { keepReadBack } from "./read-back.ts";
import { readCreated } from "./read-created.ts";
import { type Effect, phase } from "./run-effect.ts";
import { notFound } from "./unanswered-writes.ts";
import { seenLocally } from "./text-name.ts";
import { didNotHappen, notSettledBy, unsettled } from "./unsettled.ts";

type Row = Extract<Intent, { kind: "post" }>;
type Seen = {
  readonly id: DocId;
  readonly changeId: ChangeId;
  /** Digest of this version's content, as sent or as read. */
  readonly digest: Digest;
  readonly remotePath: RemotePath;
  readonly protected: boolean;
  /** True if `digest` is of content that was read, or that the service is known not to change. */
  readonly isRead: boolean;
};

/**
 * Creates the document on the service. If something that the listing does not show has its path,
 * the file is blocked and not sent again.
 */
export const createRemote: Effect<ActionOf<"create-remote">, Row, string, Seen> = {
  async prepare(ctx, planned) {
    const { localPath, remotePath, expect: digest, tombstone: replaces, why } = asItLeadsNow(ctx, planned, null);
    const local = await readUnkept(ctx, localPath, digest);
    if (local.kind === "end") return local;
    const { text, stamp, stampTrusted } = local.value;
    const row = { kind: "post", localPath, remotePath, digest, replaces, stamp, stampTrusted, why } as const;
    const request = { asks: `${remotePath} ${digest}`, at: { key: localPath, path: localPath } };
    return got({ row, keeps: { digest, text, name: seenLocally(localPath, null) }, beside: text, request });
  },

  async perform(ctx, row, text) {
    const answer = await ctx.world.remote.createFile(toService(ctx.world, row.remotePath), text);
    if (!answer.ok) return { kind: "failed", fault: answer.fault };
    const { id, lastChangeId: changeId, path, protected: isProtected } = answer.value;
    const remotePath = fromService(ctx.world, path) ?? row.remotePath;
    // The version may have other content by now, written by another user on the service (I12).
    const isOther = (keepReadBack(ctx, answer.value, row.localPath) ?? row.digest) !== row.digest;
    const isRead = !mustBeReadBack(ctx, text) && !isOther;
    return { kind: "seen", seen: { id, changeId, digest: row.digest, remotePath, protected: isProtected, isRead } };
  },

  refuse: (ctx, row, _, fault) => refusedPost(ctx, row, fault),

  /**
   * Lists the exact path, and adopts the document at that path if its content is what was sent
   * (I08).
   */
  async observe(ctx, row, fault) {
    const { remote, state } = ctx.world;
    const path = toService(ctx.world, row.remotePath);
    const listed = await remote.listFiles({ kind: "path", path });
    if (!listed.complete) return { kind: "open", outcome: notSettledBy(listed.fault ?? fault) };
    // A service that takes several spellings for one name may show another document for this path.
    const found = listed.items.find((item) => item.path === path);
    if (found === undefined)
      return { kind: "over", outcome: didNotHappen("write", fault), ...notFound(ctx, row, fault) };
    const linked = state.link(found.id);
    if (linked !== null) return { kind: "over", outcome: linked.localPath === row.localPath ? DONE : ANOTHER_THERE };
    const fetched = await fetchText(ctx, found.id, row.localPath);
    if (fetched.kind === "end") return { kind: "open", outcome: unsettled(fetched.outcome, fault) };
    const { file, text, digest } = fetched.value;
    const sent = state.text(row.digest);
    if (sent === null || !sameExceptTextForm(sent, text)) return { kind: "over", outcome: ANOTHER_THERE };
    const { id, lastChangeId: changeId, protected: isProtected } = file;
    const remotePath = fromService(ctx.world, file.path) ?? row.remotePath;
    return { kind: "seen", seen: { id, changeId, digest, remotePath, protected: isProtected, isRead: true } };
  },

  conclude(ctx, row, { id, changeId, digest, remotePath, protected: isProtected, isRead }, source) {
    ctx.notes.counts.createdRemote++;
    const { localPath: path, stamp, stampTrusted, replaces, why } = row;
    const base = { changeId, digest, localDigest: row.digest, stamp, stampTrusted, durable: true };
    const link = newLink(id, path, remotePath, isProtected, base);
    const version = { id, changeId, digest };
    const detail = source.from === "answer" ? why : `${why}; no answer arrived, but the service has the document`;
    const event = { kind: "create-remote", side: "remote", id, path, detail, after: digest } as const;
    const change = { link, version, replaces, event };
    return isRead
      ? { outcome: DONE, change }
      : { outcome: DONE, change, next: phase(readCreated, { kind: "read-back", ...version } as const) };
  },
};

const ANOTHER_THERE = stale("another document is at that path now");

/**
 * Returns true if a new document must be read back, because a 201 shows no content. After enough
 * documents were read back unchanged, a new document costs only its POST.
 */
function mustBeReadBack({ world, notes, traitsAtStart }: PassContext, text: string): boolean {
  const isOneOfTheFirst = notes.tally.created++ < plainsToRead(traitsAtStart.keptForms);
  return isOneOfTheFirst || mayBeNormalised(text, world.remote.traits().keptForms);
}

async function refusedPost(ctx: PassContext, { localPath, remotePath, digest }: Row, fault: Fault): Promise<Outcome> {
  if (fault.kind !== "problem" || fault.status === 404) return outcomeOfFault(fault);
  const fields = {
    key: localPath,
    path: localPath,
    code: contentCodeOf(fault),
    detail: fault.detail,
    requestId: fault.requestId,
    digest,
  };
  if (saysTaken(fault)) {
    const { kind, detail } = await judgeTaken(ctx, remotePath, null);
    if (kind === "stale") return stale(detail);
    return outcomeOfFault(fault, makeHold(ctx, { ...fields, detail, reason: "occupied-unseen", digest: null }));
  }
  const aboutName = fault.pointers.some((pointer) => pointer === "/path" || pointer === "/name");
  if (aboutName && learnedNames(ctx)) return stale(MORE_REFUSED);
  const reason = fault.status === 403 ? "read-only" : "refused";
  return outcomeOfFault(fault, makeHold(ctx, { ...fields, reason, digest: reason === "read-only" ? null : digest }));
}
