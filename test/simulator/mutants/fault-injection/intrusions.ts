import type { WireRequest } from "../../../../src/contract/wire.ts";
import { type FaultTest, marked, Stage, textOf } from "./stage.ts";

/**
 * A user saves, moves or deletes at every moment of a cycle: between the scans and the plan, and
 * between a read and the write that follows it.
 */

const PATHS = [
  "here.md",
  "there.md",
  "both.md",
  "clash.md",
  "gone-here.md",
  "gone-there.md",
  "moved-here.md",
  "moved-there.md",
  "still.md",
];

let worked: Promise<(story: string) => Stage> | null = null;

/** Makes a stage with every kind of work for one cycle. */
export async function stageWithWork(story: string): Promise<Stage> {
  worked ??= makeWork(new Stage("work of every kind"));
  return (await worked)(story);
}

async function makeWork(stage: Stage): Promise<(story: string) => Stage> {
  await stage.begin(PATHS);
  const { rig, mirror } = stage;
  const { user } = mirror.disk;
  stage.here("here.md", 1, "here-1");
  stage.there(stage.id("there.md"), 1, "there-1");
  stage.here("both.md", 1, "both-here");
  stage.there(stage.id("both.md"), 5, "both-there");
  stage.here("clash.md", 2, "clash-here");
  stage.there(stage.id("clash.md"), 2, "clash-there");
  user.remove(mirror.path("gone-here.md"));
  rig.app.remove("gone-there.md");
  user.rename(mirror.path("moved-here.md"), mirror.path("moved.md"));
  rig.app.rename("moved-there.md", "carried.md");
  // A user deleted these documents; they come back only if an edit wins over the deletion.
  for (const path of ["gone-here.md", "gone-there.md"]) stage.mayGo(path);
  mirror.write("new-here.md", "created locally\n");
  rig.app.create("new-there.md", "new there\n");
  return stage.again();
}

type Intruder = { readonly name: string; readonly act: (stage: Stage) => void };

const INTRUDERS: readonly Intruder[] = [
  ...["here.md", "there.md", "both.md", "gone-there.md", "moved.md", "moved-there.md", "still.md"].map((path) => ({
    name: `${path} is edited locally`,
    act: (stage: Stage) => stage.here(path, 8, `late-${path}`),
  })),
  ...["here.md", "there.md", "both.md", "gone-here.md", "moved-here.md"].map((path) => ({
    name: `${path} is edited there`,
    act: (stage: Stage) => stage.there(stage.id(path), 8, `late-${path}`),
  })),
  {
    name: "there.md is saved by rename",
    act: (stage) => {
      const { disk, path } = stage.mirror;
      const text = disk.user.read(path("there.md"));
      if (text === null) return;
      stage.noteMark("atomic");
      disk.user.saveAtomically(path("there.md"), marked(text, 8, "atomic"));
    },
  },
  {
    name: "gone-here.md is saved again",
    act: (stage) => {
      stage.noteMark("again");
      // Until its DELETE is sent, the mirror can see that the file is back, which is then no
      // deletion.
      const id = stage.id("gone-here.md");
      if (!stage.sent.some(({ method, path }) => method === "DELETE" && path.includes(id)))
        stage.mustStay("gone-here.md");
      stage.mirror.write("gone-here.md", marked(textOf("gone-here.md"), 8, "again"));
    },
  },
];

/**
 * Runs one cycle in which the intruder acts before request number `moment`, unless that request is
 * a DELETE. `reached`: false if the cycle sent fewer requests.
 */
async function intrude(intruder: Intruder, moment: number): Promise<{ failures: readonly string[]; reached: boolean }> {
  const stage = await stageWithWork(`${intruder.name} before request ${moment}`);
  let requests = 0;
  let reached = false;
  stage.befall = (request: WireRequest) => {
    if (++requests !== moment) return null;
    reached = true;
    // RACE: the contract has no conditional DELETE, so an edit between the read and the DELETE is
    // deleted too.
    if (request.method !== "DELETE") intruder.act(stage);
    return null;
  };
  await stage.mirror.sync();
  stage.checkBase();
  await stage.settle();
  return { failures: stage.failures, reached };
}

export const INTRUSIONS: readonly FaultTest[] = INTRUDERS.map((intruder) => ({
  name: `at every moment of a pass: ${intruder.name}`,
  async run() {
    for (let moment = 1; ; moment++) {
      const { failures, reached } = await intrude(intruder, moment);
      if (failures.length > 0 || !reached) return failures;
    }
  },
}));
