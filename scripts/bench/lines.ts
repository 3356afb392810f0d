/** Every line of the bench, in the order of the table. */
import { CLONE, PUSH } from "./lines/bulk.ts";
import { NO_OP } from "./lines/no-op.ts";
import type { Line } from "./line.ts";

export const LINES: readonly Line[] = [CLONE, PUSH, NO_OP];
