import { readFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { useRig } from "./rig.ts";
import { useWatches } from "./watcher.ts";

const rig = useRig();
const watches = useWatches(rig);

const read = (path: string) => readFileSync(join(rig.root, path), "utf8");
const env = () => ({ XDG_RUNTIME_DIR: rig.dir });

test("links translate and keep while a daemon runs: the daemon takes the new form, and sends nothing for it", async () => {
  const b = rig.createRemotely("b.md", "b\n");
  await rig.init();
  const a = rig.createRemotely("a.md", `[b](${b.id})\n`);
  await rig.run(["sync", "w"]);
  const watch = watches.startHere();
  await watch.until(({ kind }) => kind === "run");
  const from = watch.events.length;
  const translated = await rig.run(["links", "translate", "w", "--yes"], { env: env() });
  expect([translated.code, translated.err]).toEqual([0, []]);
  expect(read("a.md")).toBe("[b](b.md)\n");
  await watch.until(({ kind }) => kind === "run", from);
  renameSync(join(rig.root, "b.md"), join(rig.root, "c.md"));
  await watch.until((event) => event.kind === "change" && event["path"] === "a.md", from);
  expect(read("a.md")).toBe("[b](c.md)\n");
  const kept = await rig.run(["links", "keep", "w", "--yes"], { env: env() });
  expect([kept.code, kept.err]).toEqual([0, []]);
  expect(read("a.md")).toBe(`[b](${b.id})\n`);
  expect(rig.remote("a.md")).toMatchObject({ id: a.id, content: `[b](${b.id})\n` });
});
