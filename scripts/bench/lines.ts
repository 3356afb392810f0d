/** Every line of the benchmark, in the order of the table. */
import type { Line } from "./line.ts";
import { CLONE, PUSH } from "./lines/bulk.ts";
import { NO_OP, ONE_EDIT } from "./lines/no-op.ts";
import { PEER_LINES } from "./lines/peers.ts";
import { REQUESTS } from "./lines/requests.ts";
import { MEMORY, START } from "./lines/small.ts";
import { REST_MEMORY, SAVE } from "./lines/watch.ts";

export const LINES: readonly Line[] = [
  CLONE,
  PUSH,
  NO_OP,
  ONE_EDIT,
  REQUESTS,
  SAVE,
  MEMORY,
  REST_MEMORY,
  START,
  ...PEER_LINES,
];
