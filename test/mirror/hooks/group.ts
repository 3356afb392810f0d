import { spawnSync } from "node:child_process";
import { expect, vi } from "vitest";

/**
 * Waits until no process of a group runs. Killed orphans stay in the process table until a parent
 * reads their exit code; in some containers no process does.
 */
export async function groupEnds(group: number): Promise<void> {
  await vi.waitFor(() => expect(statesOf(group).filter((state) => !state.startsWith("Z"))).toEqual([]), 30_000);
}

function statesOf(group: number): string[] {
  const { stdout } = spawnSync("ps", ["-A", "-o", "pgid=", "-o", "stat="], { encoding: "utf8" });
  const rows = stdout.split("\n").map((line) => line.trim().split(/\s+/));
  expect(rows.length).toBeGreaterThan(1);
  return rows.filter(([pgid]) => Number(pgid) === group).map(([, state]) => state!);
}
