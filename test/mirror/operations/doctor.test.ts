import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { checkNeighbours, checkWatches, checkHistory, formatSize } from "../../../src/mirror/operations/doctor/disk.ts";
import { checkClock, checkEachTrait, checkService } from "../../../src/mirror/operations/doctor/examine.ts";
import type { RemoteTraits } from "../../../src/mirror/ports/remote.ts";
import type { Wire, WireResult } from "../../../src/common/wire.ts";
import { chooseRoute } from "../../../src/mirror/remote/address.ts";
import { NO_TRAITS } from "../../../src/mirror/remote/traits.ts";
import { closeNothing } from "../../simulator/quiet-ports.ts";
import { temporaryFolder } from "../../temporary-folder.ts";

const ADDRESS = { origin: "https://files.example.org", route: { kind: "direct" } } as const;

let dir: string;
beforeEach(() => {
  dir = temporaryFolder();
});

const clock = { now: () => Date.parse("2026-11-21T12:00:00Z"), monotonic: () => 0, sleep: async () => undefined };

const answer = (status: number, body: string, headers: Record<string, string> = {}): WireResult => ({
  kind: "answer",
  response: { status, headers, body },
});

describe("the service", () => {
  const cases: readonly (readonly [string, WireResult, readonly string[]])[] = [
    ["a list", answer(200, '{"object":"list","data":[]}'), ["good service", "good key"]],
    ["401", answer(401, '{"code":"unauthenticated"}'), ["good service", "bad key offline"]],
    ["no workspace", answer(404, '{"code":"workspace_not_found"}'), ["good service", "bad key offline"]],
    ["503", answer(503, "{}"), ["bad service offline"]],
    ["a redirect", answer(301, "", { location: "https://x" }), ["bad service usage"]],
    ["a web page", answer(200, "<html>welcome</html>"), ["bad service usage"]],
    ["404 of something else", answer(404, "not found"), ["bad service usage"]],
    ["silence", { kind: "not-sent", why: "ECONNREFUSED" }, ["bad service offline"]],
  ];
  test.each(cases)("%s", async (_what, result, expected) => {
    const wire: Wire = { send: async () => result, close: closeNothing };
    const checks = await checkService(wire, "mdm_secret", ADDRESS, clock);
    expect(
      checks.map(({ state, about, fault }) => [state, about, fault].filter((part) => part !== undefined).join(" ")),
    ).toEqual(expected);
    expect(JSON.stringify(checks)).not.toContain("mdm_secret");
    for (const check of checks) expect(check.state === "bad").toBe(check.next !== null);
  });

  test.each([
    ["Sat, 21 Nov 2026 12:00:30 GMT", "good"],
    ["Sat, 21 Nov 2026 11:55:00 GMT", "warn"],
    ["Sat, 21 Nov 2026 12:05:00 GMT", "warn"],
    ["yesterday", undefined],
    [undefined, undefined],
  ])("a Date of %s is %s", (date, state) => {
    expect(checkClock(date, clock.now())[0]?.state).toBe(state);
  });
});

describe("what was learned of the service", () => {
  const notes = (traits: Partial<RemoteTraits>) =>
    checkEachTrait({ ...NO_TRAITS, ...traits }).flatMap(({ about, state, trait, detail }) =>
      state === "good" ? [] : [[about, trait?.learned, detail.includes(`(recommended: ${trait?.liked})`)]],
    );

  test("of the deployment that exists, all is as liked", () => {
    const deployed = { folderTree: "yes", moveToRoot: "yes", folderPatch: "yes", folderDelete: "yes" } as const;
    const checks = checkEachTrait({ ...NO_TRAITS, ...deployed, conflicts: "reviewed", keptForms: { plain: 3 } });
    expect(checks.filter(({ state, trait }) => state !== "good" || trait?.learned !== trait?.liked)).toEqual([]);
    expect(notes({})).toEqual([]);
  });

  test.each<readonly [string, Partial<RemoteTraits>, string]>([
    ["folder-tree", { folderTree: "no" }, "no"],
    ["path-spelling", { leadingSlash: false }, "relative"],
    ["move-to-root", { moveToRoot: "no" }, "no"],
    ["folder-changes", { folderPatch: "no" }, "no"],
    ["folder-deletion", { folderDelete: "no" }, "no"],
    ["conflicting-edits", { conflicts: "refused" }, "refused"],
    ["name-case", { foldsCase: true }, "folded"],
    ["name-unicode", { foldsUnicode: true }, "folded"],
    ["legal-characters", { refusedCharacters: "|()" }, "|()"],
    ["texts", { keptForms: { plain: 3, "carriage-return": 0 } }, "changed"],
  ])("%s differs: a note says how, and what would be liked", (about, traits, learned) => {
    expect(notes(traits)).toEqual([[about, learned, true]]);
  });
});

describe("inotify limits", () => {
  test.each([
    [100, 8_192, 128, "good"],
    [5_000, 8_192, 128, "warn"],
    [10, 8_192, 8, "warn"],
  ])("%i folders with %i watches and %i watchers: %s", (folders, watches, instances, state) => {
    writeFileSync(join(dir, "max_user_watches"), `${watches}\n`);
    writeFileSync(join(dir, "max_user_instances"), `${instances}\n`);
    expect(checkWatches(folders, dir)[0]?.state).toBe(state);
  });

  test("say nothing where the system has none", () => {
    expect(checkWatches(10, join(dir, "none"))).toEqual([]);
  });
});

describe("other sync tools on the folder", () => {
  test.each([
    [".stfolder", "Syncthing"],
    [".dropbox", "Dropbox"],
    [".owncloudsync.log", "Nextcloud or ownCloud"],
    [".sync", "Resilio Sync"],
  ])("%s in it means %s", (name, tool) => {
    mkdirSync(join(dir, name));
    expect(checkNeighbours(dir)[0]).toMatchObject({ state: "warn", detail: `${tool} also seems to sync this folder` });
  });

  test("a folder above with their name counts too", () => {
    mkdirSync(join(dir, "Dropbox/notes"), { recursive: true });
    expect(checkNeighbours(join(dir, "Dropbox/notes"))[0]?.detail).toContain("Dropbox");
    expect(checkNeighbours(dir)[0]?.state).toBe("good");
  });
});

describe("the size of the history", () => {
  test.each([
    [0, "0 B"],
    [999, "999 B"],
    [1_000, "1.0 KB"],
    [9_949, "9.9 KB"],
    [9_950, "10 KB"],
    [999_499, "999 KB"],
    [999_500, "1.0 MB"],
    [12_345_678, "12 MB"],
    [3_200_000_000, "3.2 GB"],
    [5e15, "5000 TB"],
  ])("%i bytes are %s", (bytes, words) => {
    expect(formatSize(bytes)).toBe(words);
  });

  test("counts both databases with their companions, the trash and the log", () => {
    const put = (path: string, size: number) => writeFileSync(join(dir, path), "x".repeat(size));
    mkdirSync(join(dir, "trash", "2026-11-21", "notes"), { recursive: true });
    mkdirSync(join(dir, "log"));
    put("texts.db", 4_000);
    put("texts.db-wal", 1_000);
    put("state.db", 200);
    put("state.db-shm", 30);
    put("trash/2026-11-21/a.1a2b3c4d.md", 7);
    put("trash/2026-11-21/notes/b.1a2b3c4d.md", 5);
    put("log/mdmirror.log", 90);
    put("key", 50);
    expect(checkHistory(dir)).toEqual({
      ...{ about: "history", state: "good", next: null },
      detail: "5.3 KB: texts 5.0 KB, state 230 B, trash 12 B, log 90 B",
      bytes: { texts: 5_000, state: 230, trash: 12, log: 90 },
    });
  });

  test("of a folder that has none yet is nothing", () => {
    expect(checkHistory(dir).bytes).toEqual({ texts: 0, state: 0, trash: 0, log: 0 });
  });
});

test("I30 a proxy is named, without its password", async () => {
  const route = chooseRoute("https://files.example.org", { HTTPS_PROXY: "http://ann:pw@proxy.test:3128" });
  const wire: Wire = { send: async () => answer(200, '{"object":"list","data":[]}'), close: closeNothing };
  const checks = await checkService(wire, "mdm_secret", { ...ADDRESS, route }, clock);
  expect(JSON.stringify(checks)).toContain("http://proxy.test:3128 (HTTPS_PROXY)");
  expect(JSON.stringify(checks)).not.toContain("pw@");
});
