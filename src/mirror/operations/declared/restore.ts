import * as z from "zod";
import {
  TIME,
  DIGEST,
  type Declaration,
  ITEM_FIELDS,
  MOMENT,
  TEXT,
  makeOption,
  PATHS,
  makeListSchema,
} from "../define.ts";

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
