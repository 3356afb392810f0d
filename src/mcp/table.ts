import { CONFLICTS, OFFERED, SHOW_CONFLICT } from "./tools/conflicts.ts";
import { DIFF } from "./tools/diff.ts";
import { CREATE, EDIT, WRITE } from "./tools/edit.ts";
import * as z from "zod";
import { resolve } from "../mirror/operations/manual/resolve-many.ts";
import { restore } from "../mirror/operations/history/restore.ts";
import { operationTool } from "./operation-tool.ts";
import { HISTORY } from "./tools/history.ts";
import { LIST } from "./tools/list.ts";
import { DELETE, MOVE } from "./tools/place.ts";
import { READ } from "./tools/read.ts";
import { REVIEWS } from "./tools/reviews.ts";
import { SEARCH } from "./tools/search.ts";
import { STATUS } from "./tools/status.ts";
import { SYNC } from "./tools/sync.ts";
import { WAIT } from "./tools/wait.ts";
import type { Tool } from "./tool.ts";

/** Every tool, in the order in which clients see them. */
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
  WAIT,
  SYNC,
  HISTORY,
  operationTool(restore),
  DIFF,
  CONFLICTS,
  SHOW_CONFLICT,
  operationTool(resolve, { way: z.enum(OFFERED) }),
  REVIEWS,
];

/**
 * Returns the offered tools.
 * @param isReadOnly leaves out tools that change anything on either side
 */
export function toolsFor(isReadOnly: boolean): readonly Tool[] {
  return isReadOnly ? TOOLS.filter(({ effect }) => effect === "reads") : TOOLS;
}
