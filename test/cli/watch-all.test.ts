import { readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { useRig } from "./rig.ts";
import { type InProcessWatch, useWatches, type WatchEvent } from "./watch-rig.ts";

/** One daemon for all linked folders of the list, which changes meanwhile. */

const rig = useRig();
const watches = useWatches(rig);
beforeEach(() => void rig.createRemotely("a.md", "a\n"));

const at = (name: string) => join(rig.dir, name);
const ranIn = (name: string) => (event: WatchEvent) => event.kind === "run" && event.root === at(name);
const link = async (dir: string) => expect((await rig.link(dir)).code).toBe(0);

/**
 * The daemon reads the list every two seconds. The clock is sped up, so the test does not wait for
 * them.
 */
function watchAll(): InProcessWatch {
  const watch = watches.startHere(["--all"]);
  watch.clock.speedUp(10);
  return watch;
}

test("begins without any linked folder, adds folders that init links, follows mv, drops folders that unlink ends", async () => {
  const watch = watchAll();
  await watch.untilErr("no folder is linked yet");
  await link("one");
  await watch.until(ranIn("one"));
  await link("two");
  await watch.until(ranIn("two"));
  expect((await rig.run(["mv", "one", "moved"])).code).toBe(0);
  await watch.until(ranIn("moved"));
  expect((await rig.run(["unlink", "two"])).code).toBe(0);
  await watch.until((event) => event.kind === "left" && event.root === at("two"));
  writeFileSync(at("moved/a.md"), "b\n");
  await watch.until((event) => event.kind === "change" && event.root === at("moved"));
  watch.stop();
  expect(await watch.ended).toBe(0);
  expect(readdirSync(at("moved/.mdmirror")).filter((name) => /daemon|lock.json|wal|shm/.test(name))).toEqual([]);
});

test("a linked folder that fails, and one that is gone, end no other, and are kept when they are back", async () => {
  for (const name of ["fine", "broken", "gone"]) await link(name);
  const config = at("broken/.mdmirror/config.json");
  const text = rig.read("../broken/.mdmirror/config.json");
  writeFileSync(config, "{}");
  renameSync(at("gone"), at("away"));
  const watch = watchAll();
  await watch.until(ranIn("fine"));
  await watch.until((event) => event.kind === "broken" && event.root === at("broken"));
  await watch.untilErr(
    `${at("gone")}, your linked folder "gone", does not exist; mdmirror syncs it as soon as it does`,
  );
  writeFileSync(config, text);
  renameSync(at("away"), at("gone"));
  await watch.until(ranIn("broken"));
  await watch.until(ranIn("gone"));
});

test("a second one is refused with 6; killed, it leaves nothing in the way of the next", async () => {
  await link("one");
  const first = watches.start(["--all"]);
  await first.until(ranIn("one"));
  const second = watchAll();
  expect(await second.ended).toBe(6);
  expect(second.err()).toContain(`already syncs your linked folders (process ${first.pid}`);
  first.signal("SIGKILL");
  await first.ended;
  const third = watchAll();
  await third.until(ranIn("one"));
  expect((await rig.run(["status", "--all", "--json"])).out[0]).toContain(`"pid":${third.pid}`);
});

test("a folder that leaves the list is closed, and a damaged list closes no folder", async () => {
  await link("one");
  await link("two");
  const watch = watchAll();
  await watch.until(ranIn("one"));
  await watch.until(ranIn("two"));
  const registry = join(rig.stateHome, "mdmirror/mirrors");
  const entryOf = (name: string) =>
    readdirSync(registry).find((file) => rig.read(`../state/mdmirror/mirrors/${file}`).includes(`"${at(name)}"`))!;
  const lost = join(registry, entryOf("two"));
  rmSync(lost);
  await watch.until((event) => event.kind === "phase" && event.root === at("two") && event["phase"] === "ended");
  writeFileSync(join(registry, entryOf("one")), "{");
  writeFileSync(at("one/a.md"), "c\n");
  await watch.until((event) => event.kind === "change" && event.root === at("one"));
});
