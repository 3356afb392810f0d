import { expect, it } from "vitest";
import type { Fault } from "../variants/variant.ts";
import { HTML, inSync, problem, remoteTexts, type Seen, settle } from "../promises/fixture.ts";

/**
 * A document was renamed locally to what another one is called on the service by now: it gets a
 * number, on both sides.
 */

const ENDS: readonly (readonly [string, Fault])[] = [
  ["never came there", "drop-before"],
  ["was done, and not heard of", "drop-after"],
  ["was answered with HTML", HTML],
];

it.each(ENDS)("I09 a rename here that is to get a number is not taken back when its PATCH %s", async (_how, fault) => {
  const fixture = await inSync();
  const { rig, mirror } = fixture;
  const { id } = rig.app.files().get("d/a.md")!;
  mirror.disk.user.rename(mirror.path("d/a.md"), mirror.path("d/new.md"));
  rig.app.create("d/new.md", "another\n");
  let befallen = 0;
  fixture.fault = ({ method }: Seen) => (method === "PATCH" && befallen++ === 0 ? fault : null);
  await settle(mirror);
  expect(befallen).toBeGreaterThan(0);
  expect(rig.app.files().get("d/new-2.md")?.id).toBe(id);
  expect([...mirror.texts()]).toEqual([...remoteTexts(rig)]);
  expect([...mirror.texts().keys()]).toEqual(["d/b.md", "d/c.md", "d/new-2.md", "d/new.md", "e/k.md"]);
});

it("I17 what wants its name arrives in the same run, though the key may not rename", async () => {
  const fixture = await inSync();
  const { rig, mirror } = fixture;
  const { id } = rig.app.files().get("d/a.md")!;
  mirror.disk.user.rename(mirror.path("d/a.md"), mirror.path("d/new.md"));
  rig.app.create("d/new.md", "another\n");
  fixture.fault = ({ method }: Seen) => (method === "PATCH" ? problem(403, "forbidden") : null);
  const report = await mirror.sync();
  // Refused, the rename is given up and told, since its name is another's by now.
  expect(report?.state).toBe("in-sync");
  expect(report?.renamed).toEqual([{ from: "d/new.md", to: "d/a.md" }]);
  expect(fixture.seen.filter(({ method }) => method === "PATCH")).toHaveLength(1);
  expect(mirror.state.load().blocks.get(id)).toBeUndefined();
  expect(mirror.texts().get("d/a.md")).toBe("a\n");
  expect([...mirror.texts().values()].sort()).toEqual(["a\n", "another\n", "b\n", "c\n", "k\n"]);
});
