import { readFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openRig, type Rig } from "./rig.ts";
import { watchHere, type WatchHere } from "./watcher.ts";

let rig: Rig;
let watch: WatchHere;
beforeEach(async () => {
  rig = await openRig();
});
afterEach(async () => {
  watch.stop();
  await watch.ended;
  await rig.close();
});

const upload = (path: string, content: string) => rig.api("POST", "/v1/files", { path, content }) as { id: string };
const read = (path: string) => readFileSync(join(rig.root, path), "utf8");
const env = () => ({ XDG_RUNTIME_DIR: rig.dir });

test("links translate and keep while a daemon runs: it goes on in the new form, and sends nothing for it", async () => {
  const b = upload("b.md", "b\n");
  await rig.init();
  const a = upload("a.md", `[b](${b.id})\n`);
  await rig.run(["sync", "w"]);
  watch = watchHere(rig, ["w"]);
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
