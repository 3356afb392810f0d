/** Every line of the bench, in the order of the table. */
import type { Line } from "./line.ts";
import { CLONE, PUSH } from "./lines/bulk.ts";
import { LINKS } from "./lines/links.ts";
import { NO_OP, ONE_EDIT } from "./lines/no-op.ts";
import { BISYNC_HASHES, EDIT_BISYNC, NO_OP_BISYNC, NO_OP_BISYNC_LOCAL, NO_OP_UNISON } from "./lines/peers.ts";
import { REQUESTS } from "./lines/requests.ts";
import { LATENCY, MEMORY, RENAME, START } from "./lines/small.ts";
import { SYNCTHING } from "./lines/syncthing.ts";
import { REST_CPU, REST_MEMORY, SAVE } from "./lines/watch.ts";

export const LINES: readonly Line[] = [
  CLONE,
  PUSH,
  NO_OP,
  ONE_EDIT,
  LINKS,
  NO_OP_BISYNC,
  BISYNC_HASHES,
  NO_OP_BISYNC_LOCAL,
  NO_OP_UNISON,
  EDIT_BISYNC,
  SYNCTHING,
  REQUESTS,
  RENAME,
  SAVE,
  MEMORY,
  REST_MEMORY,
  REST_CPU,
  START,
  LATENCY,
];
