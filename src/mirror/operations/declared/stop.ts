/** Declares the answers to a stop. Only a person may answer, so agents get no tool for them. */

import * as z from "zod";
import { DIGEST, type Declaration, ITEM_FIELDS, TEXT, makeListSchema } from "../define.ts";

const STOP_INPUT = z.strictObject({
  attended: z.boolean().meta({ isOperand: true, description: "true if a person sees the run, as for sync" }).optional(),
});

const EXPECTED_STOP = z.strictObject({ stop: DIGEST.describe("the version of the stop, as plan returns it") });

const STOP_RESULT = z.strictObject({
  run: z.null(),
  reasons: makeListSchema({ reason: TEXT, detail: TEXT }),
  /**
   * Digest that identifies the stop. The answer passes it in `expected`. Null if no change is
   * stopped.
   */
  version: DIGEST.nullable(),
  /** Number of steps that no safety check stopped, but that also wait for the user's answer. */
  waiting: z.int(),
  next: z.enum(["daemon", "sync"]),
  /** Stopped changes by path. `what`: kind of the change in words. `notes`: reason of the stop. */
  items: makeListSchema({ ...ITEM_FIELDS, what: TEXT }),
});

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
