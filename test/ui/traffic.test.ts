import { expect, test } from "vitest";
import { askDaemon } from "../../src/mirror/daemon/control/ask.ts";
import { ActiveEffects } from "../../src/mirror/daemon/traffic.ts";
import { watchInProcess } from "../cli/watch-rig.ts";
import { openSignedIn } from "./rig.ts";

/** Opens pages for a folder. Its new documents reach the service only after `free` was called. */
async function openDelayed() {
  const { rig, person } = await openSignedIn({ linked: false });
  const [held, free] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  rig.intercept = async ({ method, path }) => {
    if (method === "POST" && path === "/v1/files") {
      held.resolve();
      await free.promise;
    }
    return null;
  };
  await rig.init();
  return { rig, person, held, free };
}

const TRAVELLING = /→<\/span> <bdi class="name">a &lt;b&gt;\.md<\/bdi>/;

test("the documents of a sync that a page started are named while they are transferred", async () => {
  const { rig, person, held, free } = await openDelayed();
  rig.write("a <b>.md", "# a\n");
  const body = await person.fieldsOf("/m/w");
  await person.post({ action: "/m/w/sync", body });
  await held.promise;
  const page = await person.see("/m/w");
  expect(page).toMatch(TRAVELLING);
  expect(page).not.toContain("<dt>Interrupted");
  expect(await person.see("/")).toContain("Syncing 0 of 1");
  free.resolve();
  await expect.poll(() => person.see("/m/w")).not.toContain("<progress");
});

test("the documents of a daemon's cycle are named while they are transferred, on both pages", async () => {
  const { rig, person, held, free } = await openDelayed();
  const watch = watchInProcess(rig, ["w"]);
  await watch.until(({ kind }) => kind === "run");
  rig.write("a <b>.md", "# a\n");
  await held.promise;
  for (const page of ["/", "/m/w"]) {
    const text = await person.see(page);
    expect(text).toContain("0 of 1");
    expect(text).toContain('<progress aria-label="changes synced" value="0" max="1">');
  }
  expect(await person.see("/m/w")).toMatch(TRAVELLING);
  const from = watch.events.length;
  free.resolve();
  await watch.until(({ kind }) => kind === "run", from);
  expect(await askDaemon(rig.root, { do: "status" })).toMatchObject({ kind: "ok", value: { traffic: null } });
  watch.stop();
  await watch.ended;
});

test("of hundreds under way, some are named and the others counted", () => {
  const traffic = new ActiveEffects();
  expect(traffic.now()).toBeNull();
  traffic.report("apply", 3, 40);
  const actions = Array.from({ length: 30 }, (_, n) => ({
    kind: "make-folder-remote" as const,
    why: "",
    localPath: `d${n}`,
    remotePath: `d${n}` as never,
  }));
  for (const action of actions) traffic.step(action, "begun");
  expect(traffic.now()).toMatchObject({ done: 3, total: 40, more: 18, under: { length: 12, 0: { path: "d0" } } });
  for (const action of actions) traffic.step(action, "ended");
  expect(traffic.now()).toBeNull();
});
