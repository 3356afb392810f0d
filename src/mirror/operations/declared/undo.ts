import * as z from "zod";
import { type Declaration, DIGEST, ITEM_FIELDS, TEXT, makeOption, makeListSchema, MOMENT } from "../define.ts";

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
