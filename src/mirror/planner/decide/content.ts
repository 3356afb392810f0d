import type { PlaceChange } from "../drift/place-change.ts";
import type { Link } from "../../model/link.ts";
import { unreadable } from "../../model/seen.ts";
import { type DocumentRow, SIDES, wantInPlace } from "../match/row.ts";
import type { LocalFile, RemoteFile } from "../../model/tree.ts";
import { decideConflict, keepUnlessLinkEnds } from "./conflict.ts";
import { type PlanDraft, propose } from "./plan-draft.ts";
import { isContentBlocked, isDirectionOff, isInUse } from "./gates.ts";
import { isEmptied, takenText } from "./emptied.ts";
import {
  createLocal,
  deleteRemote,
  forget,
  leaveSubtree,
  linkNewOnBothSides,
  recordFacts,
  post,
  postAsNew,
  trash,
} from "./presence.ts";
import { blockUnseen, isStopped } from "./remembered.ts";
import { decideReview } from "./review.ts";
import { decideIgnored } from "./ignored.ts";
import { cellOf, CONTENT_RULES, type ContentRule } from "./table.ts";
import { placeRow } from "./place-rows.ts";

/**
 * Decides one document: first by its state, then by its cell of the table. If both sides have the
 * document, decides its place too.
 */
export function decideDocument(draft: PlanDraft, row: DocumentRow, drift: PlaceChange): void {
  wantInPlace(row);
  if (row.link !== null && decideIgnored(draft, row, row.link, drift)) return;
  const conflict = row.id === null ? undefined : draft.trees.base.conflicts.get(row.id);
  const here = row.local.seen.kind === "present" ? row.local.seen.value : null;
  const there = row.remote.seen.kind === "present" ? row.remote.seen.file : null;
  if (conflict !== undefined && decideConflict(draft, row, conflict, here, there, drift)) {
    placeDocument(draft, row, drift);
    return;
  }
  decideByTable(draft, row, { drift, here, there });
  if (conflict !== undefined && drift.remote === "gone") keepUnlessLinkEnds(draft, row);
}

/** The two sides of a document; null if there is no content that could be read. */
type DocumentSides = {
  readonly drift: PlaceChange;
  readonly here: LocalFile | null;
  readonly there: RemoteFile | null;
};

function decideByTable(draft: PlanDraft, row: DocumentRow, shown: DocumentSides): void {
  const { drift, there } = shown;
  const rule = CONTENT_RULES[cellOf(drift)];
  DECISIONS[rule](draft, row, shown);
  if (!STAYS_ON_BOTH.has(rule)) return;
  if (there !== null && row.link !== null) noteFacts(draft, row, row.link, there);
  placeDocument(draft, row, drift);
}

/** Rules after which both sides have the document, so that its place has to be decided too. */
const STAYS_ON_BOTH: ReadonlySet<ContentRule> = new Set(["nothing", "write-local", "put", "merge"]);

type Decide = (draft: PlanDraft, row: DocumentRow, shown: DocumentSides) => void;

/**
 * Action of each rule. The cell of the table proves which of these exist: local content, remote
 * content, a record.
 */
const DECISIONS: Readonly<Record<ContentRule, Decide>> = {
  nothing: () => undefined,
  "block-not-seen": blockNotSeen,
  "block-unreadable": blockUnreadable,
  "block-outside": (draft, row, { here, drift }) => leaveSubtree(draft, row, here, drift),
  "leave-subtree": (draft, row, { here, drift }) => leaveSubtree(draft, row, here, drift),
  "trash-local": (draft, row, { here }) => trash(draft, row, here!, "gone"),
  forget,
  "delete-remote": (draft, row, { there, drift }) => deleteRemote(draft, row, there!, drift),
  "come-back": (draft, row, { there }) =>
    createLocal(draft, row, there!, "edited on the service after it was deleted locally", true),
  "post-as-new": (draft, row, { here }) => postAsNew(draft, row, row.link!, here!),
  post: (draft, row, { here }) => post(draft, row, here!),
  "create-local": (draft, row, { there }) =>
    createLocal(draft, row, there!, row.tombstone === null ? "new on the service" : "seen again on the service"),
  meet: (draft, row, { here, there }) => linkNewOnBothSides(draft, row, here!, there!),
  "write-local": (draft, row, { here, there }) => writeLocal(draft, row, row.link!, here!, there!),
  put: (draft, row, { here, there }) => put(draft, row, row.link!, here!, there!),
  merge: (draft, row, { here, there }) => merge(draft, row, row.link!, here!, there!),
};

function blockNotSeen(draft: PlanDraft, row: DocumentRow): void {
  blockUnseen(draft, row, "not-seen", row.remote.seen.kind === "unseen" ? row.remote.seen.why : "not seen");
}

function blockUnreadable(draft: PlanDraft, row: DocumentRow): void {
  const { kind, why } = row.local.seen.kind === "unknown" ? row.local.seen.unread : unreadable("not seen");
  blockUnseen(draft, row, kind, why);
}

function writeLocal(draft: PlanDraft, row: DocumentRow, link: Link, here: LocalFile, there: RemoteFile): void {
  if (decideReview(draft, row, link, here, there)) return;
  if (isDirectionOff(draft, row, "push", "edited on the service")) return;
  if (isInUse(draft, row, here)) return;
  const taken = takenText(draft, link, there);
  propose(draft, row, "content", (at) => ({
    kind: "write-local",
    why: taken.empties === true ? "emptied on the service" : "edited on the service",
    id: link.id,
    localPath: at.local,
    changeId: there.changeId,
    expect: here.digest,
    ...taken,
  }));
}

function put(draft: PlanDraft, row: DocumentRow, link: Link, here: LocalFile, there: RemoteFile): void {
  // A service that normalises has answered this content with the base's own content: another upload
  // would change nothing.
  if (here.digest === link.echoDigest) return;
  if (decideReview(draft, row, link, here, there) || isContentBlocked(draft, row, link, here)) return;
  if (isDirectionOff(draft, row, "pull", "edited locally")) return;
  if (isStopped(draft, row, "push")) return;
  const empties = !there.protected && isEmptied(draft, link, here.digest);
  propose(draft, row, "content", (at) => ({
    kind: "put",
    why: empties ? "emptied locally" : "edited locally",
    id: link.id,
    localPath: at.local,
    baseChangeId: link.changeId,
    expect: here.digest,
    review: there.protected,
    ...(empties && { empties }),
  }));
}

function merge(draft: PlanDraft, row: DocumentRow, link: Link, here: LocalFile, there: RemoteFile): void {
  if (decideReview(draft, row, link, here, there) || isContentBlocked(draft, row, link, here)) return;
  if (draft.policy.direction !== "both" && isDirectionOff(draft, row, draft.policy.direction, "edited on both sides"))
    return;
  if (isStopped(draft, row, "merge") || isInUse(draft, row, here)) return;
  propose(draft, row, "content", (at) => ({
    kind: "merge",
    why: "edited on both sides",
    id: link.id,
    localPath: at.local,
    changeId: there.changeId,
    expect: here.digest,
    review: there.protected,
    ...takenText(draft, link, there),
  }));
}

function noteFacts(draft: PlanDraft, row: DocumentRow, link: Link, there: RemoteFile): void {
  if (there.protected === link.protected && link.state === "linked") return;
  recordFacts(draft, row, link, "linked", whyNoted(link, there), there.protected);
}

function whyNoted(link: Link, there: RemoteFile): string {
  if (there.protected === link.protected) return "back in the linked folder";
  return there.protected ? "protected on the service" : "no longer protected";
}

function placeDocument(draft: PlanDraft, row: DocumentRow, drift: PlaceChange): void {
  if (row.link === null || SIDES.some((side) => row[side].now === null || row[side].goal === null)) return;
  placeRow(draft, row, drift.place);
}
