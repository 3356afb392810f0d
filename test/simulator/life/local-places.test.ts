import { expect, it } from "vitest";
import { Actors } from "./actors.ts";
import { actHere } from "./local-acts.ts";
import { ROOT } from "./mirror.ts";

const NAMES = ["a.md", "b.md"];

it("I03 I06 a swap leaves the text that a power cut left under the name of an earlier one", () => {
  const mirrors = [{ prefix: "", level: "full", disk: {}, conflicts: "conflict-copy" }] as const;
  const setup = { mirrors, variant: {}, combines: true, documents: 0, clockOff: 0 };
  const actors = new Actors({ seed: 3, setup, steps: [] });
  const { desk, disk } = actors.mirrors[0]!;
  const read = (tail = "") => NAMES.map((name) => disk.user.read(`${ROOT}/${name}${tail}`));
  for (const name of NAMES) disk.user.write(`${ROOT}/${name}`, `${name}\n`);
  for (const name of NAMES) disk.user.write(`${ROOT}/${name}.swap~`, `once ${name}\n`);
  expect(actHere(desk, actors.history, "swap", 1)).toMatch(/↔/);
  expect(read()).toEqual(["b.md\n", "a.md\n"]);
  expect(read(".swap~")).toEqual(["once a.md\n", "once b.md\n"]);
  actors.close();
});
