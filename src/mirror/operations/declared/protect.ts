/** Declares the operations that protect documents, so that changes to them go to review. */

import * as z from "zod";
import { type Declaration, MANY_RESULT_FIELDS, PATHS } from "../define.ts";

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
