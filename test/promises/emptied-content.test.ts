import { describe, expect, test } from "vitest";
import { runItems } from "../../src/mirror/operations/manual/many.ts";
import { planRejection } from "../../src/mirror/operations/manual/answer-stop.ts";
import { isBlank } from "../../src/mirror/model/text-form.ts";
import { toApprovalKey } from "../../src/mirror/planner/verdict/stops.ts";
import { META } from "../../src/mirror/engine/run/meta.ts";
import { planOnly } from "../../src/mirror/engine/run/converge.ts";
import { SETTINGS } from "../simulator/mirror.ts";
import { type Fixture, isWrite, problem, settle, openSynced, stopReasons } from "./fixture.ts";

const paths = Array.from({ length: 20 }, (_, n) => `n${n}.md`);
const others = ["kept/a.md", "kept/b.md", "kept/c.md"];

const inSync = () =>
  openSynced(Object.fromEntries([...paths, ...others].map((path) => [path, `# ${path}\n\nits text\n`])));

const isText = ([, text]: readonly [string, string]) => !isBlank(text);

/** Returns the number of documents with content, locally and on the service. */
function withText({ rig, mirror }: Fixture): [local: number, remote: number] {
  return [[...mirror.texts()].filter(isText).length, [...rig.app.texts()].filter(isText).length];
}

function emptyLocally({ mirror }: Fixture, of: readonly string[], text = ""): void {
  for (const path of of) mirror.write(path, text);
}

function emptyOnService({ rig }: Fixture, of: readonly string[], text = "\n"): void {
  for (const path of of) rig.app.edit(path, text);
}

async function planOf({ mirror }: Fixture) {
  const end = await planOnly(mirror.world(), { settings: SETTINGS, retryRefused: false, kind: "plan" });
  if (end.kind !== "planned") throw new Error(end.kind);
  return end;
}

async function approve(fixture: Fixture): Promise<void> {
  const { plan } = await planOf(fixture);
  const stopped = plan.verdict.kind === "safety-stop" ? plan.verdict.stoppedSteps : [];
  fixture.mirror.state.setMeta(
    META.approved,
    JSON.stringify(stopped.map((at) => toApprovalKey(plan.steps[at]!.action))),
  );
}

async function refuse(fixture: Fixture): Promise<void> {
  const { plan, trees } = await planOf(fixture);
  const world = fixture.mirror.world();
  const items = planRejection(world.state, plan, trees);
  const rejected = await runItems(world, "reject", { isOne: false, items });
  expect(rejected.kind === "ok" && rejected.value.items.filter(({ end }) => end !== "done")).toEqual([]);
}

/** Returns the documents that mdmirror read, each as often as it did. */
const readsOf = ({ seen }: Fixture) => seen.filter(({ path }) => /\/files\/doc_/.test(path)).map(({ path }) => path);

describe("I21 documents that become empty are asked about as deletions are", () => {
  test("locally: no version on the service is replaced before the user approves", async () => {
    const fixture = await inSync();
    emptyLocally(fixture, paths);
    for (let run = 0; run < 2; run++) expect(stopReasons(await fixture.mirror.sync())).toEqual(["emptied"]);
    expect([withText(fixture), fixture.seen.filter(isWrite)]).toEqual([[3, 23], []]);
    await approve(fixture);
    await settle(fixture.mirror);
    expect(withText(fixture)).toEqual([3, 3]);
  });

  test("on the service: no local version is replaced, each document is read once, and a plan says so too", async () => {
    const fixture = await inSync();
    emptyOnService(fixture, paths.slice(0, 11));
    for (const path of others) fixture.rig.app.edit(path, `# ${path}\n\nedited\n`);
    const planned = await planOf(fixture);
    expect(planned.plan.verdict).toMatchObject({ kind: "safety-stop", reasons: [{ reason: "emptied" }] });
    fixture.seen.length = 0;
    expect(stopReasons(await fixture.mirror.sync())).toEqual(["emptied"]);
    expect(readsOf(fixture)).toHaveLength(14);
    expect(stopReasons(await fixture.mirror.sync())).toEqual(["emptied"]);
    expect([readsOf(fixture).length, withText(fixture)]).toEqual([14, [23, 12]]);
    expect(fixture.mirror.texts().get("kept/a.md")).toBe("# kept/a.md\n\nits text\n");
    await approve(fixture);
    await settle(fixture.mirror);
    expect(withText(fixture)).toEqual([12, 12]);
    expect(fixture.mirror.texts()).toEqual(fixture.rig.app.texts());
  });

  test("a version that is read before the safety checks is not read again to be written", async () => {
    const fixture = await inSync();
    for (const path of paths) fixture.rig.app.edit(path, `# ${path}\n\nedited\n`);
    fixture.seen.length = 0;
    await settle(fixture.mirror);
    expect(fixture.mirror.texts()).toEqual(fixture.rig.app.texts());
    expect([readsOf(fixture).length, new Set(readsOf(fixture)).size]).toEqual([20, 20]);
  });

  test.each(["locally", "on the service"])("some runs after each other are judged together: %s", async (where) => {
    const fixture = await inSync();
    const empty = where === "locally" ? emptyLocally : emptyOnService;
    empty(fixture, paths.slice(0, 6));
    expect(stopReasons(await fixture.mirror.sync())).toEqual([]);
    empty(fixture, paths.slice(6, 12));
    expect(stopReasons(await fixture.mirror.sync())).toEqual(["emptied"]);
    expect(withText(fixture).sort()).toEqual([11, 17]);
    await fixture.rig.clock.sleep(3_600_001);
    expect(stopReasons(await fixture.mirror.sync())).toEqual([]);
    expect(withText(fixture)).toEqual([11, 11]);
  });

  test("a version that could not be read before the safety checks is not written if it is blank", async () => {
    const fixture = await inSync();
    emptyOnService(fixture, paths.slice(0, 11));
    const refused = new Set<string>();
    fixture.fault = ({ path }) => {
      if (!/\/files\/doc_/.test(path) || refused.has(path)) return null;
      refused.add(path);
      return problem(400, "invalid_request");
    };
    expect(stopReasons(await fixture.mirror.sync())).toEqual(["emptied"]);
    expect([refused.size, withText(fixture)]).toEqual([11, [23, 12]]);
  });

  test("a protected document is not emptied by an edit that goes to review", async () => {
    const fixture = await inSync();
    for (const path of paths) fixture.rig.app.protect(path, true);
    await settle(fixture.mirror);
    emptyLocally(fixture, paths);
    expect(stopReasons(await fixture.mirror.sync())).toEqual([]);
    expect(withText(fixture)).toEqual([3, 23]);
  });
});

describe("I21 rejected, the contents are restored", () => {
  test("locally: the files have the content of base, and nothing is sent", async () => {
    const fixture = await inSync();
    const before = fixture.mirror.texts();
    emptyLocally(fixture, paths);
    expect(stopReasons(await fixture.mirror.sync())).toEqual(["emptied"]);
    await refuse(fixture);
    await settle(fixture.mirror);
    expect(fixture.mirror.texts()).toEqual(before);
    expect(fixture.seen.filter(isWrite)).toEqual([]);
  });

  test("on the service: the local versions replace the empty ones", async () => {
    const fixture = await inSync();
    const before = fixture.mirror.texts();
    emptyOnService(fixture, paths);
    fixture.mirror.write(paths[0]!, `# ${paths[0]!}\n\nedited locally\n`);
    expect(stopReasons(await fixture.mirror.sync())).toEqual(["emptied"]);
    await refuse(fixture);
    await settle(fixture.mirror);
    const texts = new Map([...before, [paths[0]!, `# ${paths[0]!}\n\nedited locally\n`]]);
    expect([fixture.mirror.texts(), fixture.rig.app.texts()]).toEqual([texts, new Map([...texts].sort())]);
  });
});
