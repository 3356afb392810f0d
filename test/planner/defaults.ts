import { SHELL_METACHARACTERS } from "../../src/contract/names.ts";
import type { Signals } from "../../src/mirror/planner/plan-types.ts";
import { EXACT_DISK } from "../../src/contract/path.ts";
import { DEFAULT_GUARDS, type Policy } from "../../src/mirror/model/policy.ts";

export const POLICY: Policy = {
  names: "map",
  refusedCharacters: SHELL_METACHARACTERS,
  remoteFolding: EXACT_DISK,
  direction: "both",
  prefer: null,
  conflicts: () => "conflict-copy",
  folderMoves: true,
  movesToRoot: true,
  retryRefused: false,
  unchangedContents: null,
  absentTwice: null,
  guards: DEFAULT_GUARDS,
};

export const SIGNALS: Signals = {
  root: "same",
  lossesDone: { local: 0, remote: 0 },
  earlierChangeIds: 0,
  restored: false,
  conflictsOpened: 0,
  emptied: new Set(),
  approved: new Set(),
};
