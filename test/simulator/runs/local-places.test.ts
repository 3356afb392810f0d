import { describe, expect, it } from "vitest";
import { Actors } from "./actors.ts";
import { documentsOf } from "./desk.ts";
import { actHere } from "./local-acts.ts";
import { ROOT } from "./mirror.ts";
import { closeWithTest } from "../open-databases.ts";
import type { MirrorSetup } from "./script.ts";

const NAMES = ["a.md", "b.md"];

function makeActors(disk: MirrorSetup["disk"] = {}): Actors {
  const mirrors = [{ prefix: "", level: "full", disk, conflicts: "conflict-copy" }] as const;
  const setup = { mirrors, variant: {}, combines: true, documents: 0, clockOff: 0 };
  const actors = new Actors({ seed: 3, setup, steps: [] });
  closeWithTest(() => actors.close());
  return actors;
}

describe("a file's name changes by its case alone", () => {
  it.each([
    { name: "I09 counts as a deletion where it replaces another file of equal content", disk: {}, mayVanish: ["7"] },
    { name: "I09 deletes nothing on a disk that folds names", disk: { foldsCase: true }, mayVanish: [] },
  ])("$name", ({ disk: options, mayVanish }) => {
    const actors = makeActors(options);
    const { desk, disk } = actors.mirrors[0]!;
    for (const name of ["a.md", "A.md"]) disk.user.write(`${ROOT}/${name}`, "tag 7\n");
    const path = [...documentsOf(desk).keys()].at(-1)!;
    expect(actHere(desk, actors.history, "change-case", 1, path)).toMatch(/→/);
    expect([...documentsOf(desk).values()]).toEqual(["tag 7\n"]);
    expect([...actors.history.mayVanish]).toEqual(mayVanish);
  });
});

it("I03 I06 a swap leaves the text that a power cut left under the name of an earlier one", () => {
  const actors = makeActors();
  const { desk, disk } = actors.mirrors[0]!;
  const read = (tail = "") => NAMES.map((name) => disk.user.read(`${ROOT}/${name}${tail}`));
  for (const name of NAMES) disk.user.write(`${ROOT}/${name}`, `${name}\n`);
  for (const name of NAMES) disk.user.write(`${ROOT}/${name}.swap~`, `once ${name}\n`);
  expect(actHere(desk, actors.history, "swap", 1)).toMatch(/↔/);
  expect(read()).toEqual(["b.md\n", "a.md\n"]);
  expect(read(".swap~")).toEqual(["once a.md\n", "once b.md\n"]);
});
