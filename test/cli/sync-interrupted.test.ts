import { describe, expect, test } from "vitest";
import { useRig } from "./rig.ts";
import { stopWhen } from "./stopping-clock.ts";

/**
 * An interrupted sync keeps the results so far. A later edit is an edit, and no conflict with
 * content that was just downloaded.
 */

/** More documents than one sync downloads at the same time. */
const COUNT = 60;
const PATHS = Array.from({ length: COUNT }, (_, n) => `n${100 + n}.md`);

const rig = useRig();

const run = (...argv: string[]) => rig.run(argv, { cwd: rig.root });
const here = () => PATHS.filter((name) => rig.exists(name));
const there = () => PATHS.filter((name) => rig.remote(name) !== null);
const isOneThere = () => PATHS.some((name) => rig.remote(name) !== null);
const stopLines = (left: number) => [
  `unfinished: the run was stopped before it made ${left} more changes`,
  "  next: mdmirror sync",
];

function createOnService(): void {
  for (const path of PATHS) rig.createRemotely(path, `# ${path}\n\ntext\n`);
}

async function editAndGoOn(): Promise<void> {
  const came = here();
  for (const name of came) rig.write(name, `# ${name}\n\ntext\n\nedited locally\n`);
  rig.pass(60_000);
  expect(await rig.syncCounts()).toEqual({ uploaded: came.length, createdLocal: COUNT - came.length });
  for (const name of came) expect(rig.remote(name)!.content).toContain("edited locally");
}

describe("a sync that is stopped", () => {
  test("as it brings many documents knows those that came", async () => {
    await rig.init();
    createOnService();
    const { code, err } = await stopWhen(rig, () => here().length > 0, "sync");
    const left = COUNT - here().length;
    expect(left).toBeGreaterThan(0);
    expect([code, err]).toEqual([3, stopLines(left)]);
    expect((await run("status")).code).toBe(3);
    await editAndGoOn();
  });

  test("as it sends many has sent whole ones, and the next sends the rest, each once", async () => {
    await rig.init();
    for (const name of PATHS) rig.write(name, `# ${name}\n\nnew\n`);
    const { code, out } = await stopWhen(rig, isOneThere, "sync", "--json", "--wait-for", PATHS.at(-1)!);
    const sent = there().length;
    expect(sent).toBeLessThan(COUNT);
    expect(code).toBe(3);
    expect(JSON.parse(out[0]!)).toMatchObject({ state: "attention", counts: { createdRemote: sent } });
    expect(await rig.syncCounts()).toEqual({ createdRemote: COUNT - sent });
    expect(there()).toEqual(PATHS);
  });
});
