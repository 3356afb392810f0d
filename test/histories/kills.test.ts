import { expect, onTestFinished, test } from "vitest";
import { judge } from "./judge.ts";
import { live } from "./live.ts";
import { openSqliteScene } from "./scenes.ts";

/** A short part of `npm run soak -- histories`: real processes, killed while clients work. */

test("serve on SQLite, killed twice under twenty clients, has the history of one that was not", async () => {
  const scene = await openSqliteScene();
  onTestFinished(scene.end);
  const { history, struck } = await live(scene, { seed: 1, clients: 20, operations: 500, strikes: 2 });
  const { broken, undecided, acknowledged } = judge(history);
  expect({ broken, undecided, struck }).toEqual({ broken: [], undecided: [], struck: ["process", "process"] });
  expect(acknowledged).toBeGreaterThan(400);
});
