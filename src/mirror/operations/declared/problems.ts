import * as z from "zod";
import { TIME, DIGEST, type ReadDeclaration, TEXT, TEXTS, makeListSchema } from "../define.ts";

/** Size in bytes of UTF-8; null if the content is not stored. */
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
      /** Number of newer versions from the service that conflict copies have shown. */
      renewed: z.int(),
    }),
    blocked: makeListSchema({
      path: TEXT,
      kind: TEXT,
      code: TEXT.nullable(),
      detail: TEXT,
      requestId: TEXT.nullable(),
      next: TEXT,
      /** True if the problem is pending: it ends by itself, without an action of the user. */
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
      /** Id of the change in review; null if another user sent it, or if the service gave no id. */
      changeId: TEXT.nullable(),
      reason: z.enum(["protected", "conflict"]).nullable(),
      since: TIME,
      /** Change id of the last published version that mdmirror saw. */
      liveChangeId: TEXT,
      /** Last published content that mdmirror saw, with local links; null if it is not stored. */
      live: TEXT.nullable(),
      /** Content sent to review; null if another program sent it, or it is not stored any more. */
      submitted: TEXT.nullable(),
      /**
       * Paths that cannot be deleted during the review: those of the document and of the folders
       * above it.
       */
      blocks: TEXTS,
      /**
       * True if the document was deleted locally. After the review, mdmirror deletes it.
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
    /** Documents that mdmirror could not compare, because it could not read them on one side. */
    unseen: makeListSchema({ path: TEXT, why: TEXT }),
  }),
} satisfies ReadDeclaration;
