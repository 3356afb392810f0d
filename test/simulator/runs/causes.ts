import type { Dice } from "../dice.ts";
import { seedOf } from "./generate.ts";
import type { AppAct, Happening, LocalAct, Moment, Step, Incident } from "./script.ts";

/** User acts that cause each kind of effect, and the incidents that may happen at its moments. */

export const TO_REQUESTS: readonly Happening[] = [
  "not-sent",
  "lost-before",
  "lost-after",
  "lost-after",
  "late",
  "cut",
  "unavailable",
  "broken",
  "refused",
  "killed",
];
const AT_READS: readonly Happening[] = ["edited-there", "edited-there", "renamed-there", "removed-there"];

/** Who causes the effect, and the possible incidents by moment. */
export type Cause = {
  readonly here?: readonly LocalAct[];
  readonly there?: readonly AppAct[];
  readonly moments: Readonly<Partial<Record<Moment, readonly Happening[]>>>;
};

export const CAUSES: readonly Cause[] = [
  {
    here: ["remove", "remove", "remove-folder"],
    moments: {
      planned: ["back-here", "back-here", "edited-there"],
      "read-absent": [...AT_READS, "back-here", "killed"],
      DELETE: [...TO_REQUESTS, "back-here"],
    },
  },
  {
    here: ["write-in-place", "save-by-rename", "rewrite", "cut-short", "redress"],
    moments: { planned: [...AT_READS, "edited-here"], PUT: [...TO_REQUESTS, ...AT_READS, "edited-here"] },
  },
  { here: ["create", "create", "odd-file"], moments: { POST: [...TO_REQUESTS, "edited-here"] } },
  {
    here: ["rename", "move", "swap", "change-case", "rename-folder", "move-folder"],
    moments: { PATCH: [...TO_REQUESTS, ...AT_READS, "edited-here"] },
  },
  {
    there: ["edit"],
    moments: {
      read: [...AT_READS, "edited-here", "lost-before", "killed"],
      park: ["written-late", "written-late", "edited-here", "killed"],
    },
  },
  { there: ["remove", "remove-folder"], moments: { read: ["lost-before"], trash: ["edited-here", "killed"] } },
  { there: ["create"], moments: { make: ["killed"], read: [...AT_READS, "lost-before"] } },
  { there: ["rename", "move", "swap", "rename-folder"], moments: { rename: ["edited-here", "killed"] } },
];

export function actOf(dice: Dice, mirror: number, { here, there }: Cause): Step {
  return here === undefined
    ? { do: "there", act: dice.pick(there ?? []), seed: seedOf(dice) }
    : { do: "here", mirror, act: dice.pick(here), seed: seedOf(dice) };
}

export function incidentOf(dice: Dice, moment: Moment, what: Happening): Incident {
  return { moment, nth: dice.pick([1, 1, 1, 2]), what, seed: seedOf(dice), calls: dice.pick([1, 1, 2, 4, 9, 20]) };
}

/** Returns one to three of the possible incidents. */
export function incidentsAt(dice: Dice, { moments }: Cause): Incident[] {
  const all = Object.entries(moments) as [Moment, readonly Happening[]][];
  return Array.from({ length: 1 + dice.below(3) }, () => {
    const [moment, happenings] = dice.pick(all);
    return incidentOf(dice, moment, dice.pick(happenings));
  });
}
