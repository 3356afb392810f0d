import { describe, expect, it } from "vitest";
import { create, open, sync } from "./oracle-fixture.ts";
import { checkUndone, findChangesBefore } from "./oracle-undone.ts";
import { digestOf } from "../../../src/contract/digest.ts";
import { ROOT } from "../mirror.ts";
import type { SimulatedMirror } from "./mirror.ts";
import type { Policy } from "../../../src/mirror/model/policy.ts";

/**
 * Syncs that revert a change of one side, which the oracle must find, and similar syncs that do
 * not.
 */

/** Simulates a mirror that reverts its user's move. */
async function movedBack(
  from: string,
  to: string,
  isRefused: boolean,
  isTaken: boolean,
  direction: Policy["direction"] = "both",
): Promise<readonly string[]> {
  const actors = open(["read"]);
  const [mirror] = actors.mirrors;
  const { user } = mirror!.disk;
  for (const path of ["a.md", "t-2.md", "d/b.md", "e-2/b.md"]) create(actors, path);
  await sync(actors, 0);
  user.rename(`${ROOT}/${from}`, `${ROOT}/${to}`);
  const before = findChangesBefore(actors, mirror!);
  const taken = to.endsWith(".md") ? { path: to, content: "another\n" } : { path: to };
  if (isTaken) actors.simulatedWorld.ask("POST", "content" in taken ? "/v1/files" : "/v1/folders", taken);
  const { records, dirs } = mirror!.state.load();
  const moved = [...records.values(), ...dirs.values()].find(({ localPath }) => localPath === from)!;
  user.rename(`${ROOT}/${to}`, `${ROOT}/${from}`);
  mirror!.direction = direction;
  checkUndone(actors, mirror!, before, new Set(isRefused ? [moved.id] : []));
  const { failures } = actors.history;
  actors.close();
  return failures;
}

describe("what was moved locally alone and is moved back", () => {
  it.each([
    ["a document", "a.md", "t.md"],
    ["a folder", "d", "e"],
  ])("%s: is a fault, unless it was refused or is never sent, and its name is another's there", async (_, from, to) => {
    const fault = [expect.stringContaining("I09 moved locally alone, and moved back here")];
    expect(await movedBack(from, to, false, false)).toEqual(fault);
    expect(await movedBack(from, to, true, false)).toEqual(fault);
    expect(await movedBack(from, to, false, true)).toEqual(fault);
    expect(await movedBack(from, to, true, true)).toEqual([]);
    expect(await movedBack(from, to, false, false, "pull")).toEqual(fault);
    expect(await movedBack(from, to, false, true, "pull")).toEqual([]);
  });

  it.each([
    ["a document", "t-2.md", "t.md"],
    ["a folder", "e-2", "e"],
  ])("%s: is none, if its former name is the one beside the taken name", async (_, from, to) => {
    expect(await movedBack(from, to, false, false)).toEqual([expect.stringContaining("I09 moved locally alone")]);
    expect(await movedBack(from, to, false, true)).toEqual([]);
  });
});

describe("a document whose file is gone locally and comes back", () => {
  it.each([
    ["is a fault where its user deleted it", null, [expect.stringContaining("I04 deleted locally alone")]],
    ["is none where the mirror had moved it to the trash", `${ROOT}/.mdmirror/trash/a.md`, []],
    ["is none where the mirror had set it aside for a replace", `${ROOT}/.mdmirror/tmp/park-a`, []],
  ])("%s, and base does not know of that", async (_, aside, failures) => {
    const actors = open(["full"]);
    const [mirror] = actors.mirrors;
    const { user } = mirror!.disk;
    create(actors, "a.md");
    await sync(actors, 0);
    const text = user.read(`${ROOT}/a.md`)!;
    // A user of another mirror deleted the document too.
    actors.history.vanishes(text);
    if (aside === null) user.remove(`${ROOT}/a.md`);
    else user.rename(`${ROOT}/a.md`, aside);
    const before = findChangesBefore(actors, mirror!);
    user.write(`${ROOT}/a.md`, text);
    checkUndone(actors, mirror!, before, new Set());
    expect(actors.history.failures).toEqual(failures);
  });
});

describe("a document that was renamed and renamed back on the service, and deleted locally meanwhile", () => {
  it.each([
    ["comes back, if its change id moved: it may have been edited", true, []],
    [
      "does not come back, if its change id did not move",
      false,
      [expect.stringContaining("I04 deleted locally alone")],
    ],
  ])("%s", async (_, changeIdMovesOnRename, failures) => {
    const actors = open(["full", "full"], { changeIdMovesOnRename });
    const { history, mirrors } = actors;
    const [{ disk }, { disk: other }] = mirrors as [SimulatedMirror, SimulatedMirror];
    create(actors, "a.md");
    for (const mirror of [0, 1]) await sync(actors, mirror);
    for (const [from, to] of [
      ["a.md", "b.md"],
      ["b.md", "a.md"],
    ] as const) {
      other.user.rename(`${ROOT}/${from}`, `${ROOT}/${to}`);
      await sync(actors, 1);
    }
    const text = disk.user.read(`${ROOT}/a.md`)!;
    history.vanishes(text);
    disk.user.remove(`${ROOT}/a.md`);
    const before = findChangesBefore(actors, mirrors[0]!);
    disk.user.write(`${ROOT}/a.md`, text);
    checkUndone(actors, mirrors[0]!, before, new Set());
    expect(history.failures).toEqual(failures);
  });
});

describe("a document that was deleted on the service, and is created again from its unchanged file", () => {
  it.each([
    ["is a fault", false, [expect.stringContaining("I04 deleted there, unchanged here")]],
    ["is none where a killed sync has found other targets for its links", true, []],
  ])("%s", async (_, hasUnsentLinks, failures) => {
    const actors = open(["full"], {}, {}, true);
    const { history, simulatedWorld } = actors;
    const { state, disk } = actors.mirrors[0]!;
    create(actors, "a.md");
    await sync(actors, 0);
    const text = disk.user.read(`${ROOT}/a.md`)!;
    simulatedWorld.ask("DELETE", `/v1/files/${simulatedWorld.files()[0]!.id}`);
    const form = hasUnsentLinks ? `${text}with another target` : text;
    const spelling = { path: "a.md", id: null, bytes: digestOf(text), text: digestOf(form), spelledAt: "a.md" };
    state.spellings.put({ ...spelling, leads: [] });
    const before = findChangesBefore(actors, actors.mirrors[0]!);
    simulatedWorld.ask("POST", "/v1/files", { path: "a.md", content: text });
    checkUndone(actors, actors.mirrors[0]!, before, new Set());
    expect(history.failures).toEqual(failures);
  });
});
