import * as z from "zod";
import { type ReadDeclaration, TEXT, TEXTS, makeOption, PATHS, makeListSchema } from "../define.ts";

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
    /** Number of requested paths that `paths` leaves out. */
    more: z.int(),
    /** Requested paths, worst first. Of a folder, only the documents that had to be uploaded. */
    paths: makeListSchema({
      path: TEXT,
      /**
       * State of the path.
       * - `live`: the service has the content that was local when the wait began, or later content
       * - `gone`: neither side has the document
       * - `waiting`: the content is being uploaded, or cannot be uploaded yet
       */
      state: z.enum(["live", "gone", "in-review", "conflict", "blocked", "waiting"]),
      id: TEXT.nullable(),
      /**
       * Change id of the last version on both sides. For `live`: change id of the awaited content.
       */
      changeId: TEXT.nullable(),
      /** Ids of the document's changes in review, if the service reported them. */
      reviews: TEXTS,
      /** Kind of problem that prevents the upload; null if there is none. */
      kind: TEXT.nullable(),
      code: TEXT.nullable(),
      detail: TEXT,
      requestId: TEXT.nullable(),
      next: TEXT,
    }),
  }),
} satisfies ReadDeclaration;
