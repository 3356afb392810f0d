import { DECIDE_FAULTS } from "./decide-faults.ts";
import { DISK_FAULTS } from "./disk-faults.ts";
import type { PlantedFault } from "./fault.ts";
import { LINK_FAULTS } from "./link-faults.ts";
import { OUTSIDE_FAULTS } from "./outside-faults.ts";
import { REMOTE_FAULTS } from "./remote-faults.ts";
import { SEEING_FAULTS } from "./seeing-faults.ts";

export const FAULTS: readonly PlantedFault[] = [
  ...SEEING_FAULTS,
  ...REMOTE_FAULTS,
  ...DISK_FAULTS,
  ...DECIDE_FAULTS,
  ...LINK_FAULTS,
  ...OUTSIDE_FAULTS,
];

export function findFault(id: string): PlantedFault {
  const found = FAULTS.find((fault) => fault.id === id);
  if (found === undefined) throw new Error(`no fault is called ${id}`);
  return found;
}
