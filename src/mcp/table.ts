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
import { formatTextDiff } from "./bounded.ts";
import { resolve } from "../mirror/operations/manual/resolve.ts";
import { restore } from "../mirror/operations/history/restore.ts";
import { makeOperationTool, makeReadTool } from "./operation-tool.ts";
import { LIST } from "./tools/list.ts";
import { READ } from "./tools/read.ts";
import { SEARCH } from "./tools/search.ts";
import { STATUS, SYNC } from "./tools/status.ts";
import { wait } from "../mirror/operations/manual/wait-operation.ts";
import { type Tool, PATH } from "./tool.ts";

/** A list of exactly one path, because the versions that an agent passes belong to one document. */
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
  makeReadTool(wait),
  SYNC,
  makeReadTool(history, { keeps: "last" }),
  makeReadTool(show, { text: ({ text }) => text }),
  makeOperationTool(restore, { paths: ONE_PATH, asOf: undefined }),
  makeReadTool(diff, { text: (answer) => answer.documents.map(formatDiff).join("") }),
  makeReadTool(conflicts),
  SHOW_CONFLICT,
  makeOperationTool(resolve, { paths: ONE_PATH, way: z.enum(OFFERED_CHOICES) }),
  makeReadTool(reviews, { text: (answer) => answer.reviews.map(formatReviewDiff).join("\n") }),
  makeReadTool(verify),
];

function formatDiff({ path, kind, before, after }: Answer<typeof DIFF>["documents"][number]): string {
  if (kind === "same" || (before === null && after === null)) return "";
  return formatTextDiff({ before: `before/${path}`, after: `local/${path}` }, before ?? "", after ?? "");
}

function formatReviewDiff({ path, live, submitted }: WaitingReview): string {
  if (live === null || submitted === null) return "";
  return formatTextDiff({ before: `service/${path}`, after: `sent/${path}` }, live, submitted);
}

export function listTools(isReadOnly: boolean): readonly Tool[] {
  return isReadOnly ? TOOLS.filter(({ effect }) => effect === "reads") : TOOLS;
}
