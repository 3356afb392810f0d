import { AT_ONCE } from "./at-once.ts";
import { NETWORK } from "./network.ts";
import { DAMAGED } from "./damage.ts";
import { READ_ONLY } from "./read-only.ts";
import { FULL_DISK } from "./full-disk.ts";
import { KILLS } from "./kills.ts";
import type { Fault } from "./row.ts";

/** Every row of the soak, in the order of its table. */
export const FAULTS: readonly Fault[] = [...KILLS, ...FULL_DISK, ...READ_ONLY, ...DAMAGED, ...AT_ONCE, ...NETWORK];
