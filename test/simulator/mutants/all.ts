import { DECIDE_MUTANTS } from "./decide-mutants.ts";
import { DISK_MUTANTS, OUTSIDE_MUTANTS } from "./disk-mutants.ts";
import type { Mutant } from "./mutant.ts";
import { LINK_MUTANTS } from "./link-mutants.ts";
import { REMOTE_MUTANTS } from "./remote-mutants.ts";
import { SEEING_MUTANTS } from "./observe-mutants.ts";

export const MUTANTS: readonly Mutant[] = [
  ...SEEING_MUTANTS,
  ...REMOTE_MUTANTS,
  ...DISK_MUTANTS,
  ...DECIDE_MUTANTS,
  ...LINK_MUTANTS,
  ...OUTSIDE_MUTANTS,
];

export function findMutant(id: string): Mutant {
  const found = MUTANTS.find((mutant) => mutant.id === id);
  if (found === undefined) throw new Error(`no mutant is called ${id}`);
  return found;
}
