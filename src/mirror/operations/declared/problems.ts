import * as z from "zod";
import { TIME, DIGEST, type ReadDeclaration, TEXT, TEXTS, ROWS } from "../define.ts";

/** Size in bytes of UTF-8; null if there is no content, or the content is no longer kept. */
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
    conflicts: ROWS({
      path: TEXT,
      /** Path of the file with the version on the service. */
      conflictCopy: TEXT,
      since: TIME,
      mine: SIZE,
      theirs: SIZE,
      /** True if the local content was sent to review because of the conflict. */
      inReview: z.boolean(),
      /** Number of changes on the service since the conflict began. */
      renewed: z.int(),
    }),
    blocked: ROWS({
      path: TEXT,
      kind: TEXT,
      code: TEXT.nullable(),
      detail: TEXT,
      requestId: TEXT.nullable(),
      next: TEXT,
      /** True if the problem ends without an action of the user. */
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
    reviews: ROWS({
      /** Current or last local path of the document. */
      path: TEXT,
      /** Id of the change; null if the service did not report it, or another user sent it. */
      changeId: TEXT.nullable(),
      /** Reason for the review; null if the service gave no reason. */
      reason: z.enum(["protected", "conflict"]).nullable(),
      /** Time when this folder first recorded the review. */
      since: TIME,
      /** Id of the published version that was seen last. */
      liveChangeId: TEXT,
      /** Published content that was seen last, in the form of a local file; null if not kept. */
      live: TEXT.nullable(),
      /** Submitted content; null if not kept, or not sent from this folder. */
      submitted: TEXT.nullable(),
      /**
       * Paths that cannot be deleted before the review is decided: the document, and its folders.
       */
      blocks: TEXTS,
      /**
       * True if the document was deleted locally, and its deletion on the service waits for the end
       * of the review.
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
    /** True if both sides are equal, and everything was read. */
    agree: z.boolean(),
    /** Documents that both sides have, byte for byte. `size`: bytes of UTF-8. */
    documents: ROWS({ path: TEXT, id: TEXT, sha256: DIGEST, size: z.int() }),
    /**
     * Recorded documents whose sides differ only in line ends, byte order mark or final newline.
     * Such sides count as equal.
     */
    formDiffers: TEXTS,
    differing: ROWS({ path: TEXT, id: TEXT, why: TEXT }),
    onlyLocal: TEXTS,
    onlyService: ROWS({ path: TEXT, id: TEXT }),
    /** Documents that differ for a known reason: in review, in conflict, blocked. */
    blocked: ROWS({ path: TEXT, reason: TEXT, detail: TEXT }),
    /**
     * Paths that could not be read on one side. Whether both sides are equal is unknown for them.
     */
    unseen: ROWS({ path: TEXT, why: TEXT }),
  }),
} satisfies ReadDeclaration;
