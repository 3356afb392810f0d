import * as z from "zod";
import { TIME, DIGEST, type ReadDeclaration, MOMENT, VERSION_NUMBER, TEXT, option, PATH, ROWS } from "../define.ts";

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
    asOf: option(MOMENT, "only the version at that time (2h, 3d, 2026-11-22, 2026-11-22T09:30)", { value: "TIME" }),
  }),
  result: z.strictObject({
    /** Id of the document; null if versions of the path are known, and no document has it. */
    id: TEXT.nullable(),
    path: TEXT,
    /** True if the document is no longer in the linked folder. */
    gone: z.boolean(),
    /**
     * Time of the deletion, the run that deleted the document, and the reason; null while the
     * document exists.
     */
    deleted: z.strictObject({ at: TIME, run: z.int().nullable(), what: TEXT.nullable() }).nullable(),
    versions: ROWS({
      /** Number from 1, oldest first. A version keeps its number when newer versions are added. */
      n: z.int(),
      /** Time when mdmirror first saw the version; 0 or less if that time is unknown. */
      at: TIME,
      sha256: DIGEST,
      /** `service`: a published version; `local`: content that was only ever local. */
      from: z.enum(["service", "local"]),
      changeId: TEXT.nullable(),
      /** Event that made the version, as a clause. */
      what: TEXT,
      /**
       * Id of another document that had this path and content; null for a version of the document
       * itself.
       */
      other: TEXT.nullable(),
      /** Size in bytes of UTF-8; null if the content is no longer kept. */
      size: z.int().nullable(),
      /** Versions from which this version was merged; null if it is not the result of a merge. */
      merge: z.strictObject({ at: TIME, base: DIGEST, mine: DIGEST, theirs: DIGEST, result: DIGEST }).nullable(),
      /** Numbers of the versions from which this version was merged, as a clause. */
      mergedFrom: TEXT.nullable(),
      /** True if the local file has this content. */
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
     * All documents that differ. If the input has a path: the document at this path, even if equal.
     */
    documents: ROWS({
      path: TEXT,
      kind: z.enum(["same", "differs", "only-local", "only-service"]),
      /** Number of lines that only one side has; null if the content was not read. */
      lines: z.strictObject({ added: z.int(), removed: z.int() }).nullable(),
      /**
       * Content on the service, or of the earlier version. Null if there is none, and without
       * `path`.
       */
      before: TEXT.nullable(),
      /** Content of the local file. Null if there is no file, and without `path`. */
      after: TEXT.nullable(),
      /**
       * Content from which both edits of a document in conflict started; null for other documents.
       */
      base: TEXT.nullable(),
      /**
       * Lines of a document in conflict that merge, and lines that do not; null for other
       * documents.
       */
      conflict: z
        .strictObject({
          kind: z.enum(["merges", "no-base", "whole", "parts"]),
          reason: TEXT.optional(),
          conflicts: z.int().optional(),
          origins: ROWS({ kind: TEXT, from: TEXT, line: z.int(), count: z.int() }).optional(),
        })
        .nullable(),
    }),
  }),
} satisfies ReadDeclaration;
