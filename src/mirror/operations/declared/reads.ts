import * as z from "zod";
import {
  DIGEST,
  makeListSchema,
  makeOption,
  MOMENT,
  PATH,
  PATHS,
  type ReadDeclaration,
  TEXT,
  TEXTS,
  TIME,
  VERSION_NUMBER,
} from "../define.ts";

export const HISTORY = {
  name: "history",
  summary: "list the versions of a document",
  about: [
    "Lists the versions of a document that mdmirror has seen, oldest first; also of a deleted document, and under earlier names.",
    "N counts from the oldest version, so that it stays the same when newer ones arrive: show PATH@N, diff PATH@N, restore PATH@N.",
    "A merged version is marked with the versions that it was made from.",
  ],
  access: "read",
  input: z.strictObject({
    path: PATH,
    asOf: makeOption(MOMENT, "only the version at that time (2h, 3d, 2026-11-22, 2026-11-22T09:30)", { value: "TIME" }),
  }),
  result: z.strictObject({
    /**
     * Id of the document; null if the path never had a document. Versions may be stored even for
     * such a path.
     */
    id: TEXT.nullable(),
    path: TEXT,
    gone: z.boolean(),
    /** Time, run and reason of the document's deletion; null while the document exists. */
    deleted: z.strictObject({ at: TIME, run: z.int().nullable(), what: TEXT.nullable() }).nullable(),
    versions: makeListSchema({
      /**
       * Number of the version, from 1 for the oldest version. A new version does not change the
       * number of any other version.
       */
      n: z.int(),
      /** Time when mdmirror first saw the version; 0 or less if the time is unknown. */
      at: TIME,
      sha256: DIGEST,
      /** Origin of the version: `service` if it was published, otherwise `local`. */
      from: z.enum(["service", "local"]),
      changeId: TEXT.nullable(),
      /** Event that created the version, as a clause. */
      what: TEXT,
      /** Id of the document that had this content; null for this document itself. */
      other: TEXT.nullable(),
      /** Size in bytes of UTF-8; null if the content is no longer stored. */
      size: z.int().nullable(),
      /**
       * Merge that created this version, with the digests of the three merged contents and of the
       * result; null if no merge created this version.
       */
      merge: z.strictObject({ at: TIME, base: DIGEST, mine: DIGEST, theirs: DIGEST, result: DIGEST }).nullable(),
      /** Clause with the numbers of the versions that were merged; null without a merge. */
      mergedFrom: TEXT.nullable(),
      isLocal: z.boolean(),
    }),
  }),
} satisfies ReadDeclaration;

export const SHOW = {
  name: "show",
  summary: "print a version of a document",
  about: [
    "Prints version N, or the newest without @N. Adds a line feed at the end on standard output if the version has none; --output writes it byte for byte.",
  ],
  access: "read",
  contents: ["text"],
  input: z.strictObject({ path: PATH, n: VERSION_NUMBER }),
  result: z.strictObject({ path: TEXT, n: z.int(), sha256: DIGEST, text: TEXT }),
} satisfies ReadDeclaration;

export const DIFF = {
  name: "diff",
  summary: "compare local files with the service or with an earlier version",
  about: [
    "Without PATH: lists the documents that differ from the service, with counts of lines.",
    "With PATH: prints a unified diff (- on the service, + local). With PATH@N: - is version N, + is local.",
    "For a document in conflict it prints the lines that merge (M mine, T theirs, B both) and those that do not (!).",
    "Writes nothing.",
  ],
  exits: "0 if both are equal, 3 if they differ",
  access: "read",
  isOnline: true,
  contents: ["before", "after", "base"],
  input: z.strictObject({
    path: PATH.optional(),
    n: z.int().min(1).meta({ description: "the number of a version in the history", isOperand: true }).optional(),
  }),
  result: z.strictObject({
    /**
     * Documents whose sides differ. If the input has a path, the list has only this document, even
     * if the sides are equal.
     */
    documents: makeListSchema({
      path: TEXT,
      kind: z.enum(["same", "differs", "only-local", "only-service"]),
      /** Counts of lines that only one side has; null if mdmirror did not read the contents. */
      lines: z.strictObject({ added: z.int(), removed: z.int() }).nullable(),
      /**
       * Content to compare with `after`; null if no such content exists, or if the input has no
       * path.
       */
      before: TEXT.nullable(),
      /** Content of the local file; null if there is no file, or if the input has no path. */
      after: TEXT.nullable(),
      /** Content with which both edits of a conflict began; null without a conflict. */
      base: TEXT.nullable(),
      /** Result of a line-by-line merge of a conflict's two edits; null without a conflict. */
      conflict: z
        .strictObject({
          kind: z.enum(["merges", "no-base", "whole", "parts"]),
          reason: TEXT.optional(),
          conflicts: z.int().optional(),
          origins: makeListSchema({ kind: TEXT, from: TEXT, line: z.int(), count: z.int() }).optional(),
        })
        .nullable(),
    }),
  }),
} satisfies ReadDeclaration;

const SIZE = z.int().nullable();

export const CONFLICTS = {
  name: "conflicts",
  summary: "list conflicts and blocked documents",
  about: [
    "Lists documents whose local and remote versions do not merge, and documents that are blocked until you decide. Reads only local data.",
  ],
  exits: "0 if there are none, 3 if there are some",
  access: "read",
  input: z.strictObject({}),
  result: z.strictObject({
    conflicts: makeListSchema({
      path: TEXT,
      conflictCopy: TEXT,
      since: TIME,
      mine: SIZE,
      theirs: SIZE,
      /** True if mdmirror sent the local content to review because of the conflict. */
      inReview: z.boolean(),
      /** Number of newer versions from the service that the conflict copy has shown. */
      renewed: z.int(),
    }),
    blocked: makeListSchema({
      path: TEXT,
      kind: TEXT,
      code: TEXT.nullable(),
      detail: TEXT,
      requestId: TEXT.nullable(),
      next: TEXT,
      /** True if the problem is pending: the problem ends without an action of the user. */
      waits: z.boolean(),
      since: TIME,
    }),
  }),
} satisfies ReadDeclaration;

export const REVIEWS = {
  name: "reviews",
  summary: "list changes that wait in review",
  about: [
    "Lists each change in review: since when, why, its lines (- on the service when last seen, + sent), and the deletions that it blocks.",
    "Reviews are decided in the web app. mdmirror cannot see a rejection. Reads only local data.",
  ],
  exits: "0 if nothing is in review, 3 if something is",
  access: "read",
  contents: ["live", "submitted"],
  input: z.strictObject({}),
  result: z.strictObject({
    reviews: makeListSchema({
      path: TEXT,
      /** Id of the change; null if another user sent the change, or the service gave no id. */
      changeId: TEXT.nullable(),
      reason: z.enum(["protected", "conflict"]).nullable(),
      since: TIME,
      /** Change id of the last published version that mdmirror saw. */
      liveChangeId: TEXT,
      /** Last published content that mdmirror saw, with local links; null if not stored. */
      live: TEXT.nullable(),
      /** Content in review; null if another program sent the content, or if not stored. */
      submitted: TEXT.nullable(),
      /**
       * Paths that cannot be deleted during the review: the path of the document, and the paths of
       * the folders above the document.
       */
      blocks: TEXTS,
      /**
       * True if the document was deleted locally, so that mdmirror will delete it on the service
       * after the review.
       */
      deletionWaits: z.boolean(),
      lines: z.strictObject({ added: z.int(), removed: z.int() }).nullable(),
    }),
  }),
} satisfies ReadDeclaration;

export const VERIFY = {
  name: "verify",
  summary: "compare both sides, byte for byte",
  about: ["Lists, reads and hashes every document on both sides, and reports each difference. Writes nothing."],
  exits: "0 if both sides are equal, 3 if they differ",
  access: "read",
  isOnline: true,
  input: z.strictObject({}),
  result: z.strictObject({
    /** True if mdmirror could read all documents on both sides, and both sides are equal. */
    agree: z.boolean(),
    /** Documents that are byte for byte the same on both sides. `size` is in bytes of UTF-8. */
    documents: makeListSchema({ path: TEXT, id: TEXT, sha256: DIGEST, size: z.int() }),
    /** Paths of documents that differ only in line ends, byte order mark or final newline. */
    formDiffers: TEXTS,
    differing: makeListSchema({ path: TEXT, id: TEXT, why: TEXT }),
    onlyLocal: TEXTS,
    onlyService: makeListSchema({ path: TEXT, id: TEXT }),
    /** Documents that differ for a known reason: they are in review, in conflict or blocked. */
    blocked: makeListSchema({ path: TEXT, reason: TEXT, detail: TEXT }),
    /** Documents that mdmirror could not compare, because one side could not be read. */
    unseen: makeListSchema({ path: TEXT, why: TEXT }),
  }),
} satisfies ReadDeclaration;

export const WAIT = {
  name: "wait",
  summary: "wait until local changes are on the service",
  about: [
    "Returns when the present local state of each PATH is on the service: files, folders with their content, and deletions. Without PATH: everything.",
    "Reads the disk itself, and waits for the daemon if one is running; otherwise it syncs. It does not wait for later saves.",
  ],
  exits:
    "0 on the service, 7 in review, 3 in conflict, blocked or paused, 8 timed out, 5 offline, 4 stopped by a safety check. If several apply, the first of 4, 5, 8, 3, 7 is used",
  access: "sync",
  input: z.strictObject({
    paths: PATHS.optional(),
    timeout: makeOption(z.string().min(1).max(16), "longest time to wait, such as 90s or 15m (default: 30s)", {
      value: "TIME",
    }),
  }),
  result: z.strictObject({
    /**
     * Worst state of the requested paths.
     * - `attention`: a path is in conflict or blocked
     * - `too-slow`: the time limit passed while a path was still being uploaded
     * - `stopped`, `offline`, `paused`: nothing is uploaded, for this reason
     */
    state: z.enum(["live", "in-review", "attention", "too-slow", "stopped", "offline", "paused"]),
    /** Reason why nothing is uploaded, as a clause; "" while uploads continue. */
    detail: TEXT,
    documents: z.int(),
    live: z.int(),
    /** Number of requested paths that are missing in `paths`. */
    more: z.int(),
    /** Requested paths, worst states first. For a folder: the documents that had to be uploaded. */
    paths: makeListSchema({
      path: TEXT,
      /**
       * State of the path.
       * - `live`: the service has the content that was local when the wait began, or newer content
       * - `gone`: neither side has the document
       * - `waiting`: the content is being uploaded, or cannot be uploaded yet
       */
      state: z.enum(["live", "gone", "in-review", "conflict", "blocked", "waiting"]),
      id: TEXT.nullable(),
      /**
       * Change id of the last version that both sides had. For `live`: change id of the awaited
       * content.
       */
      changeId: TEXT.nullable(),
      /** Ids of the document's changes in review, as far as the service reported ids. */
      reviews: TEXTS,
      /** Kind of problem that prevents the upload; null if no problem does. */
      kind: TEXT.nullable(),
      code: TEXT.nullable(),
      detail: TEXT,
      requestId: TEXT.nullable(),
      next: TEXT,
    }),
  }),
} satisfies ReadDeclaration;
