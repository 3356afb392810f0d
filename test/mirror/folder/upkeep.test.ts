import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { pruneDaily } from "../../../src/mirror/folder/run.ts";
import { DEFAULT_CONFIG } from "../../../src/mirror/settings/config.ts";
import type { OpenedMirror } from "../../../src/mirror/folder/open-mirror.ts";
import type { StoredState } from "../../../src/mirror/state/state.ts";
import { NAME, openIn } from "../../state/fixture.ts";
import { NO_LOG } from "../../simulator/quiet-ports.ts";
import { temporaryFolder } from "../../temporary-folder.ts";

const DAY = 86_400_000;
let folder: string;
let now = 1_000 * DAY;
let state: StoredState;

beforeEach(() => {
  folder = temporaryFolder();
  mkdirSync(join(folder, ".mdmirror"));
  const clock = { now: () => now, monotonic: () => now, sleep: async () => undefined };
  state = openIn(join(folder, ".mdmirror"), clock);
});

function mirror(keepHistory = DEFAULT_CONFIG.keepHistory): OpenedMirror {
  const clock = { now: () => now };
  const config = { ...DEFAULT_CONFIG, keepHistory };
  return { root: folder, config, world: { state, clock, log: NO_LOG, disk: {} } } as unknown as OpenedMirror;
}

describe("upkeep between cycles", () => {
  it("deletes content that nothing names after 30 days of running, and not before", async () => {
    const orphan = state.putText("a text that nothing names\n", NAME);
    const days: boolean[] = [];
    for (let day = 0; day < 34; day++) {
      pruneDaily(mirror());
      days.push(state.hasText(orphan));
      now += DAY;
    }
    expect(days.slice(0, 30).every((kept) => kept)).toBe(true);
    expect(days.at(-1)).toBe(false);
  });

  it("keeps it for the days of the setting keepHistory", async () => {
    const orphan = state.putText("a text that nothing names\n", NAME);
    const days: boolean[] = [];
    for (let day = 0; day < 8; day++) {
      pruneDaily(mirror("5d, 500MB"));
      days.push(state.hasText(orphan));
      now += DAY;
    }
    expect([days.indexOf(false) >= 5, days.at(-1)]).toEqual([true, false]);
  });

  it("looks for nothing to delete in a new folder, and does a day later", async () => {
    const prune = vi.spyOn(state, "prune");
    const young = mirror();
    pruneDaily(young);
    expect(prune).not.toHaveBeenCalled();
    now += DAY;
    pruneDaily(young);
    expect(prune).toHaveBeenCalledTimes(1);
  });

  it("prunes once a day, and again when the clock was set back", async () => {
    pruneDaily(mirror());
    const first = state.meta("pruned.at");
    now += DAY / 2;
    pruneDaily(mirror());
    expect(state.meta("pruned.at")).toBe(first);
    now -= 10 * DAY;
    pruneDaily(mirror());
    expect(state.meta("pruned.at")).toBe(String(now));
  });
});
