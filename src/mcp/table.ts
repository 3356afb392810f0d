import { OFFERED_CHOICES, SHOW_CONFLICT } from "./tools/conflicts.ts";
import { CREATE, DELETE, EDIT, MOVE, WRITE } from "./tools/edit.ts";
import * as z from "zod";
import { history, show } from "../mirror/operations/history/versions.ts";
import { verify } from "../mirror/operations/doctor/verify.ts";
import { conflicts } from "../mirror/operations/manual/conflicts.ts";
import { reviews, type WaitingReview } from "../mirror/operations/manual/reviews.ts";
import { diff } from "../mirror/operations/history/diff.ts";
import type { DIFF } from "../mirror/operations/declared/history.ts";
import type { Answer } from "../mirror/operations/define.ts";
import { diffOf } from "./bounded.ts";
import { resolve } from "../mirror/operations/manual/resolve.ts";
import { restore } from "../mirror/operations/history/restore.ts";
import { operationTool, readTool } from "./operation-tool.ts";
import { LIST } from "./tools/list.ts";
import { READ } from "./tools/read.ts";
import { SEARCH } from "./tools/search.ts";
import { STATUS, SYNC } from "./tools/status.ts";
import { wait } from "../mirror/operations/manual/wait-operation.ts";
import { type Tool, PATH } from "./tool.ts";

/** A list of exactly one path: the versions that an agent passes belong to one document. */
const ONE_PATH = z.array(PATH).length(1);

/** Every tool, in the order in which clients list them. */
export const TOOLS: readonly Tool[] = [
  STATUS,
  LIST,
  READ,
  SEARCH,
  EDIT,
  WRITE,
  CREATE,
  MOVE,
  DELETE,
  readTool(wait),
  SYNC,
  readTool(history, { keeps: "last" }),
  readTool(show, { text: ({ text }) => text }),
  operationTool(restore, { paths: ONE_PATH, asOf: undefined }),
  readTool(diff, { text: (answer) => answer.documents.map(unifiedDiff).join("") }),
  readTool(conflicts),
  SHOW_CONFLICT,
  operationTool(resolve, { paths: ONE_PATH, way: z.enum(OFFERED_CHOICES) }),
  readTool(reviews, { text: (answer) => answer.reviews.map(reviewDiff).join("\n") }),
  readTool(verify),
];

function unifiedDiff({ path, kind, before, after }: Answer<typeof DIFF>["documents"][number]): string {
  if (kind === "same" || (before === null && after === null)) return "";
  return diffOf({ before: `before/${path}`, after: `local/${path}` }, before ?? "", after ?? "");
}

function reviewDiff({ path, live, submitted }: WaitingReview): string {
  if (live === null || submitted === null) return "";
  return diffOf({ before: `service/${path}`, after: `sent/${path}` }, live, submitted);
}

/**
 * Returns the tools to offer.
 * @param isReadOnly true to leave out all tools that change documents on either side
 */
export function toolsFor(isReadOnly: boolean): readonly Tool[] {
  return isReadOnly ? TOOLS.filter(({ effect }) => effect === "reads") : TOOLS;
}
