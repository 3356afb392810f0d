import { AT_ONCE } from "./at-once.ts";
import { DAEMONS } from "./daemons.ts";
import { DAMAGED } from "./damage.ts";
import { FULL_DISK } from "./full-disk.ts";
import { KILLS } from "./kills.ts";
import { NETWORK } from "./network.ts";
import { RACES } from "./races.ts";
import { ROOTS } from "./roots.ts";
import type { Fault } from "./row.ts";

/** Every fault of the soak, in the order of its table. */
export const FAULTS: readonly Fault[] = [
  ...[...KILLS, ...DAEMONS],
  ...[...FULL_DISK, ...DAMAGED],
  ...[...AT_ONCE, ...NETWORK, ...ROOTS, ...RACES],
];
