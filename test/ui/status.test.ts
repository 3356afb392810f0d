import { describe, expect, test } from "vitest";
import type { Folder } from "../../src/ui/folders.ts";
import type { PageRequest } from "../../src/ui/page.ts";
import { folderActions, stateOf } from "../../src/ui/status.ts";

const SYNCED = { syncedAt: 1, safetyStop: null } as Folder["status"];
const NEVER = { syncedAt: null, safetyStop: null } as Folder["status"];
const NEED = { path: "a.md" } as Folder["needs"][number];
const WATCHING = { phase: "idle", detail: "", paused: false } as Folder["daemon"];
const PAUSED = { ...WATCHING, paused: true } as Folder["daemon"];
const RUNNING = { what: "sync", phase: null, done: 0, total: null, end: null } as const;

const folderWith = (members: Partial<Folder>): Folder => ({
  name: "w",
  root: "/w",
  addresses: [],
  state: "in-sync",
  status: SYNCED,
  trouble: null,
  daemon: WATCHING,
  needs: [],
  waits: [],
  job: null,
  ...members,
});

const mainOf = (folder: Folder) =>
  folderActions(folder, { csrf: "c" } as PageRequest).text.match(/class="[^"]*main-action"[^>]*>([^<]*)/)?.[1] ?? null;

describe("the state of a folder, and its main action", () => {
  const cases: readonly (readonly [string, Partial<Folder>, readonly [string, string], string | null])[] = [
    ["in sync", {}, ["good", "In sync"], null],
    ["pending changes", { state: "attention", waits: [NEED] }, ["good", "In sync"], "Sync now"],
    ["a problem", { state: "attention", needs: [NEED] }, ["asks", "Action required"], "Solve 1 problem"],
    ["stopped", { state: "stopped", needs: [NEED] }, ["bad", "Stopped"], "Decide"],
    ["never synced", { state: "never", status: NEVER }, ["asks", "Never synced"], "Sync now"],
    ["the first sync", { state: "attention", status: NEVER, job: RUNNING }, ["quiet", "First sync"], "Sync now"],
    ["paused", { daemon: PAUSED }, ["quiet", "Paused"], "Sync now"],
    [
      "paused, with a problem",
      { state: "attention", needs: [NEED], daemon: PAUSED },
      ["asks", "Action required"],
      "Solve 1 problem",
    ],
    ["paused, and not reachable", { state: "offline", daemon: PAUSED }, ["bad", "Offline"], "Sync now"],
  ];
  test.each(cases)("%s", (_what, members, state, main) => {
    const folder = folderWith(members);
    expect([stateOf(folder), mainOf(folder)]).toEqual([state, main]);
  });
});
