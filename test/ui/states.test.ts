import { describe, expect, test } from "vitest";
import { BLOCK_REASONS, type BlockReason } from "../../src/mirror/model/block.ts";
import type { Folder } from "../../src/ui/folders.ts";
import type { PageRequest } from "../../src/ui/page.ts";
import { chooseStateBadge, renderFolderActions, renderProblemRows } from "../../src/ui/parts.ts";
import { renderEntryBadge, renderProblemBadge } from "../../src/ui/states.ts";

const TONES = { "action-required": "asks", pending: "quiet", none: "quiet" } as const;

test.each(Object.keys(BLOCK_REASONS) as BlockReason[])("%s has the colour of who has to act, in words", (reason) => {
  const { text } = renderProblemBadge(reason);
  expect(text).toMatch(new RegExp(`^<span class="badge ${TONES[BLOCK_REASONS[reason].work]}">[a-z ]+</span>$`));
});

test("a stop is red, and a conflict looks the same in the list of documents", () => {
  expect(renderProblemBadge("too-many-deletions").text).toContain('"badge bad"');
  expect(renderProblemBadge("conflict")).toEqual(renderEntryBadge("conflict"));
  expect(renderProblemBadge("in-review")).toEqual(renderEntryBadge("in-review"));
  expect(renderProblemBadge("too-large")).toEqual(renderEntryBadge("blocked"));
});

test("codes of a problem are in its details only", () => {
  const problem = { path: "a.md", kind: "not-utf-8", code: "EILSEQ", detail: "not text", next: "save it" };
  const { text } = renderProblemRows([{ ...problem, address: null }]);
  const open = text.replace(/<details.*?<\/details>/gs, "").replace(/<[^>]*>/g, " ");
  expect(text).toContain("EILSEQ");
  expect(open).not.toMatch(/EILSEQ|not-utf-8|not utf 8/);
});

const SYNCED = { syncedAt: 1, safetyStop: null } as Folder["status"];
const NEVER = { syncedAt: null, safetyStop: null } as Folder["status"];
const NEED = { path: "a.md" } as Folder["needs"][number];
const WATCHING = { phase: "idle", detail: "", paused: false } as Folder["daemon"];
const PAUSED = { ...WATCHING, paused: true } as Folder["daemon"];
const RUNNING = { what: "sync", phase: null, done: 0, total: null, traffic: null, end: null } as const;

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
  renderFolderActions(folder, { csrf: "c" } as PageRequest).text.match(/class="[^"]*main-action"[^>]*>([^<]*)/)?.[1] ??
  null;

describe("the state of a folder, and its main action", () => {
  const cases: readonly (readonly [string, Partial<Folder>, readonly [string, string], string | null])[] = [
    ["in sync", {}, ["good", "In sync"], null],
    ["pending changes", { state: "attention", waits: [NEED] }, ["good", "In sync"], "Sync now"],
    ["a problem", { state: "attention", needs: [NEED] }, ["asks", "Action required"], "Solve"],
    ["stopped", { state: "stopped", needs: [NEED] }, ["bad", "Stopped"], "Decide"],
    ["never synced", { state: "never", status: NEVER }, ["asks", "Never synced"], "Sync now"],
    ["the first sync", { state: "attention", status: NEVER, job: RUNNING }, ["quiet", "First sync"], "Sync now"],
    ["paused", { daemon: PAUSED }, ["quiet", "Paused"], "Sync now"],
    [
      "paused, with a problem",
      { state: "attention", needs: [NEED], daemon: PAUSED },
      ["asks", "Action required"],
      "Solve",
    ],
    ["paused, and not reachable", { state: "offline", daemon: PAUSED }, ["bad", "Offline"], "Sync now"],
  ];
  test.each(cases)("%s", (_what, members, state, main) => {
    const folder = folderWith(members);
    expect([chooseStateBadge(folder), mainOf(folder)]).toEqual([state, main]);
  });
});
