import * as z from "zod";
import {
  TIME,
  DIGEST,
  type ReadDeclaration,
  MOMENT,
  VERSION_NUMBER,
  TEXT,
  makeOption,
  PATH,
  makeListSchema,
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
     * Id of the document; null if the path never had a document. Such a path may still have stored
     * versions.
     */
    id: TEXT.nullable(),
    path: TEXT,
    gone: z.boolean(),
    /** Time, run and reason of the document's deletion; null while the document exists. */
    deleted: z.strictObject({ at: TIME, run: z.int().nullable(), what: TEXT.nullable() }).nullable(),
    versions: makeListSchema({
      /**
       * Number of the version. The oldest version has 1, so a new version changes no other number.
       */
      n: z.int(),
      /** Time when mdmirror first saw the version; 0 or less if that time is unknown. */
      at: TIME,
      sha256: DIGEST,
      /** Origin of the version: `service` if it was published, otherwise `local`. */
      from: z.enum(["service", "local"]),
      changeId: TEXT.nullable(),
      /** Event that created the version, as a clause. */
      what: TEXT,
      /** Id of another document that had this path and content; null if it was this document. */
      other: TEXT.nullable(),
      /** Size in bytes of UTF-8; null if the content is no longer stored. */
      size: z.int().nullable(),
      /**
       * Merge that created this version, with the digests of its versions; null without a merge.
       */
      merge: z.strictObject({ at: TIME, base: DIGEST, mine: DIGEST, theirs: DIGEST, result: DIGEST }).nullable(),
      /** Clause with the numbers of the versions merged into this one; null without a merge. */
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
     * Documents whose sides differ. If the input has a path, that document is listed even if its
     * sides are equal.
     */
    documents: makeListSchema({
      path: TEXT,
      kind: z.enum(["same", "differs", "only-local", "only-service"]),
      /** Counts of lines that only one side has; null if mdmirror did not read the contents. */
      lines: z.strictObject({ added: z.int(), removed: z.int() }).nullable(),
      /**
       * Content that is compared with `after`; null if there is none, or if the input has no path.
       */
      before: TEXT.nullable(),
      /** Content of the local file; null if there is no file, or if the input has no path. */
      after: TEXT.nullable(),
      /** Content from which both edits of a conflict started; null without a conflict. */
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
