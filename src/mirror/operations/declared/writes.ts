import * as z from "zod";
import {
  type Declaration,
  DIGEST,
  ITEM_FIELDS,
  makeListSchema,
  makeOption,
  MANY_RESULT_FIELDS,
  MOMENT,
  PATHS,
  TEXT,
  TIME,
} from "../define.ts";

const STOP_INPUT = z.strictObject({
  attended: z.boolean().meta({ isOperand: true, description: "true if a person sees the run, as for sync" }).optional(),
});

const EXPECTED_STOP = z.strictObject({ stop: DIGEST.describe("the version of the stop, as plan returns it") });

const STOP_RESULT = z.strictObject({
  run: z.null(),
  reasons: makeListSchema({ reason: TEXT, detail: TEXT }),
  /**
   * Digest that identifies the stop. The caller passes the digest in `expected` with an answer to
   * the stop. Null if no change is stopped.
   */
  version: DIGEST.nullable(),
  /** Number of steps that wait for the answer, although no safety check stopped these steps. */
  waiting: z.int(),
  next: z.enum(["daemon", "sync"]),
  /** Stopped changes by path. `what`: kind of the change, in words. `notes`: reason of the stop. */
  items: makeListSchema({ ...ITEM_FIELDS, what: TEXT }),
});

/** Parts of both answers to a stop. Only a person may answer, so agents get no tool. */
const ANSWER_PARTS = {
  access: "write",
  isForPeople: true,
  isForNextSync: true,
  input: STOP_INPUT,
  expected: EXPECTED_STOP,
  result: STOP_RESULT,
} as const;

export const APPROVE = {
  name: "approve",
  summary: "carry out the changes that a safety check stopped",
  about: [
    "Shows the changes that a safety check stopped, asks for confirmation, and approves exactly these. The next sync carries them out. If more such changes are added before that sync, it stops again.",
    "Deleted files go to .mdmirror/trash; the content of deleted documents stays in the local history. To undo the changes instead: mdmirror reject.",
  ],
  ...ANSWER_PARTS,
} satisfies Declaration;

export const REJECT = {
  name: "reject",
  summary: "undo the changes that a safety check stopped",
  about: [
    "Shows the changes that a safety check stopped, asks for confirmation, and reverts what led to them. Restores files that were deleted locally. Uploads files as new if their documents were deleted on the service.",
    "To carry the changes out instead: mdmirror approve.",
  ],
  ...ANSWER_PARTS,
} satisfies Declaration;

/** Choices that resolve a problem, each with words for its effect. */
export const RESOLUTION_WAYS = {
  mine: "keep the local version and upload it (in review: submit it again; refused: try again)",
  theirs: "take the version on the service (in review or refused: drop the local edit)",
  merged: "take the merged content",
  "merged-where-clean": "merge both versions where they merge cleanly; leave the others",
  keep: "for a blocked document: keep it",
  delete: "for a blocked document: delete it",
  recreate: "for a move to the root that the service refuses: create a new document in the root and delete the old one",
} as const;

export type ResolutionWay = keyof typeof RESOLUTION_WAYS;

const RESOLUTION_WAY = z.enum(Object.keys(RESOLUTION_WAYS) as [ResolutionWay, ...ResolutionWay[]]);

export const RESOLVE = {
  name: "resolve",
  summary: "resolve conflicts and blocked documents",
  about: [
    "Applies your choice, then syncs. Mine is the local version, theirs the version on the service. The version that you do not choose stays in the history and in .mdmirror/trash.",
    "You can also decide in a file manager. Delete the (theirs) file to keep your version. Move it over the document to take the other version.",
    "A folder or a quoted glob (** matches any folder) takes all problems below it. Several problems can be ended by mine, theirs and merged-where-clean. They count as one run, which undo takes back. Documents that this choice does not resolve are listed and left unchanged.",
  ],
  access: "write",
  input: z.strictObject({
    paths: PATHS.optional(),
    way: RESOLUTION_WAY.meta({
      isOperand: true,
      description: Object.entries(RESOLUTION_WAYS)
        .map(([way, does]) => `${way}: ${does}`)
        .join("; "),
    }),
    text: makeOption(z.string().max(200_000), "the complete content, for merged", { isOperand: true }),
    force: makeOption(z.boolean(), "accept content with conflict markers"),
  }),
  expected: z.strictObject({
    mine: DIGEST.nullable().describe("the local version of one document; null if there is no file"),
    theirs: DIGEST.nullable().describe("the version on the service; null for a block"),
    base: DIGEST.nullable().describe("the last version that both sides had; null if both are new"),
  }),
  result: z.strictObject({ way: RESOLUTION_WAY, ...MANY_RESULT_FIELDS }),
} satisfies Declaration;

export const RESTORE = {
  name: "restore",
  summary: "restore an earlier version",
  about: [
    "Writes an earlier version into the local file, then syncs it like any edit. Without a number: the version before the present one.",
    "For a folder or a quoted glob (** matches any folder): restores deleted documents. With a time: restores each document as it was at that time; newer documents are left alone.",
    "A deleted document comes back as a new document: the service does not restore its id and its history. The replaced version stays in the history and in .mdmirror/trash.",
  ],
  access: "write",
  input: z.strictObject({
    paths: PATHS,
    n: makeOption(z.int().min(1), "the number of a version in the history, of one document", { isOperand: true }),
    asOf: makeOption(MOMENT, "the version at that time, as mdmirror saw it (2h, 3d, 2026-11-22, 2026-11-22T09:30)", {
      value: "TIME",
    }),
  }),
  expected: z.strictObject({
    local: DIGEST.nullable().describe("the version of the local file, of one document; null if there is none"),
    version: DIGEST.describe("the version with this number in the history").optional(),
  }),
  result: z.strictObject({
    asOf: z.int().nullable().describe("milliseconds since the epoch"),
    run: z.int().nullable().describe("the run that undo takes back; null if nothing was done"),
    items: makeListSchema({
      ...ITEM_FIELDS,
      id: TEXT.nullable(),
      /** Number of the version to restore; null if no version can be restored. */
      n: z.int().nullable(),
      at: TIME.nullable(),
      sha256: TEXT.nullable(),
      asNew: z.boolean(),
    }),
  }),
} satisfies Declaration;

export const UNDO = {
  name: "undo",
  summary: "undo a run",
  about: [
    "Undoes a run, by default the last one that changed anything (mdmirror log names the runs). It restores versions as edits, moves documents back, and creates deleted documents again. It opens the conflicts again that the run resolved. Documents that the run uploaded as new go to the trash, and their deletion on the service passes the safety checks.",
    "With --since: undoes all runs that began since then, as one run.",
    "Leaves alone and names each document that changed since. Does not delete documents that a run only downloaded.",
  ],
  access: "write",
  isForPeople: true,
  input: z.strictObject({
    run: makeOption(z.int().min(1), "the number of a run; left out: the last run that can be undone", {
      isOperand: true,
    }),
    since: makeOption(MOMENT, "undo all runs since that time (2h, 3d, 2026-11-22T09:30)", {
      value: "TIME",
    }),
  }),
  expected: z.strictObject({ plan: DIGEST.describe("the version of the plan, as a dry run returns it") }),
  result: z.strictObject({
    run: z.int().nullable(),
    runs: z.array(z.int()).readonly().describe("the runs that it undoes, the newest first"),
    passedOver: z.array(z.int()).readonly().describe("newer runs that cannot be undone"),
    version: DIGEST.describe("the version of the plan"),
    items: makeListSchema({
      ...ITEM_FIELDS,
      kind: TEXT,
      to: TEXT.nullable().describe("the path to which an undo moves it back; null if it moves nothing"),
    }),
  }),
} satisfies Declaration;

export const PROTECT = {
  name: "protect",
  summary: "send changes of a document to review",
  about: [
    "From then on, each change of the document waits on the service until somebody accepts it. Needs a key with Full access.",
    "For a folder or a quoted glob (** matches any folder): the documents that exist now, as one run, which one mdmirror undo takes back.",
  ],
  access: "write",
  isForPeople: true,
  isForNextSync: true,
  input: z.strictObject({ paths: PATHS }),
  result: z.strictObject(MANY_RESULT_FIELDS),
} satisfies Declaration;

export const UNPROTECT = {
  ...PROTECT,
  name: "unprotect",
  summary: "publish changes of a document without review",
  about: [
    "From then on, each change of the document is published immediately. Needs a key with Full access.",
    "For a folder or a quoted glob (** matches any folder): the documents that exist now, as one run, which one mdmirror undo takes back.",
  ],
} satisfies Declaration;
