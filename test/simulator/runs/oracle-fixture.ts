import { expect } from "vitest";
import { closeWithTest } from "../open-databases.ts";
import { Actors } from "./actors.ts";
import type { RunFacts } from "./oracle-run.ts";
import { type Incident, type Levels, type MirrorSetup, quietSync, type SyncStep } from "./script.ts";
import { runSync } from "./sync-step.ts";

/** Opens a run without documents, for tests of the oracle. */

export function open(
  levels: readonly Levels[],
  variant: object = {},
  disk: MirrorSetup["disk"] = {},
  links = false,
): Actors {
  const mirrors = levels.map((level): MirrorSetup => ({ prefix: "", level, disk, conflicts: "conflict-copy" }));
  const setup = { mirrors, variant, combines: true, documents: 0, clockOff: 0, links };
  const actors = new Actors({ seed: 3, setup, steps: [] });
  closeWithTest(() => actors.close());
  for (const [index, level] of levels.entries()) actors.simulatedWorld.grant(index, level, 0);
  return actors;
}

export function sync(
  actors: Actors,
  mirror: number,
  kill: SyncStep["kill"] = null,
  incidents: readonly Incident[] = [],
): Promise<RunFacts> {
  return runSync(actors, { ...quietSync(mirror, 1), kill, incidents });
}

export function create(actors: Actors, path: string): void {
  const made = actors.simulatedWorld.ask("POST", "/v1/files", { path, content: actors.history.newText(3) });
  expect(made).not.toBeNull();
}
