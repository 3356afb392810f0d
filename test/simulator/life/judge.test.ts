import { describe, expect, it } from "vitest";
import { Actors } from "./actors.ts";
import { judgeUndone, sightBefore } from "./judge-undone.ts";
import { ROOT } from "./mirror.ts";
import type { RunFacts } from "./run-facts.ts";
import type { Levels, MirrorSetup, SyncStep } from "./script.ts";
import { runSync } from "./sync-step.ts";

/** The judges' own eyes: what they must see, and what no mirror can know. */

const mirrorOf = (level: Levels): MirrorSetup => ({ prefix: "", level, disk: {}, conflicts: "sidecar" });

function open(levels: readonly Levels[], variant: object = {}): Actors {
  const setup = { mirrors: levels.map(mirrorOf), variant, combines: true, documents: 0, clockOff: 0 };
  const actors = new Actors({ seed: 3, setup, steps: [] });
  for (const [index, level] of levels.entries()) actors.lifeWorld.grant(index, level, 0);
  return actors;
}

function sync(actors: Actors, mirror: number): Promise<RunFacts> {
  const nothing = { kill: null, storm: null, trouble: null, meddles: [] };
  const step: SyncStep = { do: "sync", mirror, seed: 1, retry: true, ...nothing };
  return runSync(actors, step);
}

function create(actors: Actors, path: string): void {
  const made = actors.lifeWorld.ask("POST", "/v1/files", { path, content: actors.history.newText(3) });
  expect(made).not.toBeNull();
}

function edit(actors: Actors): void {
  const [file] = actors.lifeWorld.files();
  const { id, changeId, text } = file!;
  const content = actors.history.edit(text, 1, "the app");
  expect(actors.lifeWorld.ask("PUT", `/v1/files/${id}/content`, { baseChangeId: changeId, content })).not.toBeNull();
}

describe("what was moved here alone and is moved back", () => {
  /** As a mirror would that undoes what its user did. */
  async function movedBack(from: string, to: string, isRefused: boolean, isTaken: boolean): Promise<readonly string[]> {
    const actors = open(["read"]);
    const [mirror] = actors.mirrors;
    const { user } = mirror!.disk;
    create(actors, "a.md");
    create(actors, "d/b.md");
    await sync(actors, 0);
    user.rename(`${ROOT}/${from}`, `${ROOT}/${to}`);
    const before = sightBefore(actors, mirror!);
    const taken = to.endsWith(".md") ? { path: to, content: "another\n" } : { path: to };
    if (isTaken) actors.lifeWorld.ask("POST", "content" in taken ? "/v1/files" : "/v1/folders", taken);
    const { links, dirs } = mirror!.state.load();
    const moved = [...links.values(), ...dirs.values()].find(({ localPath }) => localPath === from)!;
    user.rename(`${ROOT}/${to}`, `${ROOT}/${from}`);
    judgeUndone(actors, mirror!, before, new Set(isRefused ? [moved.id] : []));
    const { failures } = actors.history;
    actors.close();
    return failures;
  }

  it.each([
    ["a document", "a.md", "t.md"],
    ["a folder", "d", "e"],
  ])("%s: is a fault, unless the service refused it and its name is another's there", async (_, from, to) => {
    const fault = [expect.stringContaining("I09 moved here alone, and moved back here")];
    expect(await movedBack(from, to, false, false)).toEqual(fault);
    expect(await movedBack(from, to, true, false)).toEqual(fault);
    expect(await movedBack(from, to, false, true)).toEqual(fault);
    expect(await movedBack(from, to, true, true)).toEqual([]);
  });
});

describe("a service that shows a superseded version", () => {
  async function restored(variant: object, between: (actors: Actors) => Promise<unknown>) {
    const actors = open(["full", "full"], variant);
    create(actors, "a.md");
    await sync(actors, 1);
    await between(actors);
    await sync(actors, 0);
    actors.lifeWorld.backUp();
    edit(actors);
    await sync(actors, 0);
    actors.lifeWorld.restore();
    return actors;
  }

  function rename(actors: Actors, mirror: number, from: string, to: string): Promise<RunFacts> {
    actors.mirrors[mirror]!.disk.user.rename(`${ROOT}/${from}`, `${ROOT}/${to}`);
    return sync(actors, mirror);
  }

  const nothing = () => Promise.resolve();

  it.each([
    ["as deployed", {}, nothing, "a.md"],
    ["where change ids move on a rename", { changeIdMovesOnRename: true }, nothing, "a.md"],
    [
      "where one had moved before the backup",
      { changeIdMovesOnRename: true },
      (actors: Actors) => rename(actors, 1, "a.md", "b.md"),
      "b.md",
    ],
  ])("is known by the change id that it shows: %s", async (_, variant, between, path) => {
    const actors = await restored(variant, between);
    const { superseded, report } = await sync(actors, 0);
    expect([superseded, report?.state]).toEqual([[path], "halted"]);
    expect(actors.history.failures).toEqual([]);
    actors.close();
  });

  it("and by nothing, once a rename has given that version an id that nobody was shown before", async () => {
    const actors = await restored({ changeIdMovesOnRename: true }, nothing);
    await rename(actors, 1, "a.md", "c.md");
    const { superseded, report } = await sync(actors, 0);
    expect([superseded, report?.state]).toEqual([[], "in-sync"]);
    expect(actors.history.failures).toEqual([]);
    actors.close();
  });
});
