import { type FaultTest, Stage, textOf } from "./stage.ts";

/**
 * One effect, killed at every call of a port. Before the mirror starts again, something else has
 * changed.
 */

type Story = {
  readonly name: string;
  readonly paths: readonly string[];
  readonly work: (stage: Stage) => void;
  /** Changes between the crash and the next start. */
  readonly meanwhile?: (stage: Stage) => void;
  readonly after?: (stage: Stage) => void;
};

const STORIES: readonly Story[] = [
  {
    name: "two edits are merged",
    paths: ["a.md", "b.md"],
    work: (stage) => {
      stage.here("a.md", 1, "here");
      stage.there(stage.id("a.md"), 5, "there");
    },
    meanwhile: (stage) => stage.there(stage.id("a.md"), 9, "meanwhile"),
  },
  {
    name: "a text comes down",
    paths: ["a.md", "b.md"],
    work: (stage) => stage.there(stage.id("a.md"), 1, "there"),
  },
  {
    name: "a text comes down, and is edited locally after the crash",
    paths: ["a.md", "b.md"],
    work: (stage) => stage.there(stage.id("a.md"), 1, "there"),
    meanwhile: (stage) => stage.here("a.md", 8, "meanwhile"),
  },
  {
    name: "a new document comes down",
    paths: ["b.md"],
    work: (stage) => void stage.rig.app.create("a.md", textOf("a.md")),
    after: (stage) => {
      stage.expect(
        "I13 a text is neither old nor new",
        [...stage.mirror.texts().values()].every((text) => text.length > 100),
      );
      stage.expect("I13 a crash made a conflict", stage.mirror.texts().size === 2);
    },
  },
  {
    name: "a text goes up, and is edited there after the crash",
    paths: ["a.md", "b.md"],
    work: (stage) => stage.here("a.md", 1, "here"),
    meanwhile: (stage) => stage.there(stage.id("a.md"), 9, "meanwhile"),
  },
  {
    name: "two texts clash",
    paths: ["a.md", "b.md"],
    work: (stage) => {
      stage.here("a.md", 1, "here");
      stage.there(stage.id("a.md"), 1, "there");
    },
  },
  {
    name: "two documents change places",
    paths: ["a.md", "b.md"],
    work: ({ rig }) => {
      rig.app.rename("a.md", "c.md");
      rig.app.rename("b.md", "a.md");
      rig.app.rename("c.md", "b.md");
    },
    after: (stage) => stage.expect("I09 a swap was undone", stage.rig.app.files().get("b.md")?.id === stage.id("a.md")),
  },
];

const FULL = { on: null, level: "full" } as const;

type End = {
  readonly failures: readonly string[];
  readonly finished: boolean;
  /** State after the crash: a kill that leaves the same state as the kill before is skipped. */
  readonly left: string;
};

/** Kills at a call; `before` is the state that the kill before left. */
type Once = (call: number, before: string) => Promise<End>;

async function beginStory(story: Story): Promise<Once> {
  const stage = new Stage(story.name);
  await stage.begin(story.paths);
  story.work(stage);
  const again = stage.again();
  return (call, before) => crash(story, again(`${story.name}, killed at call ${call}`), call, before);
}

async function crash(story: Story, stage: Stage, call: number, before: string): Promise<End> {
  stage.mirror.killAt(call);
  const finished = (await stage.mirror.sync()) !== null;
  const left = stage.leftovers();
  if (left === before) return { failures: [], finished, left };
  story.meanwhile?.(stage);
  await stage.settle();
  story.after?.(stage);
  return { failures: stage.failures, finished, left };
}

/**
 * The key loses access to a folder, the process is killed while it removes the file, and the key
 * gets access again.
 */
async function beginUnseen(): Promise<Once> {
  let keyId = "";
  const stage = new Stage("a grant is taken", {}, ({ service }) => {
    const { id: workspaceId } = service.admin.workspaces()[0]!;
    const made = service.admin.createKey({ workspaceId, grants: [FULL] });
    if (!("key" in made)) throw new Error("no key");
    keyId = made.id;
    return { key: made.key };
  });
  const { service, app } = stage.rig;
  await stage.begin(["hidden/a.md", "b.md", "c.md"]);
  const folders = app.call("GET", "/v1/folders?path=hidden").json as { data: { id: string }[] };
  service.admin.setGrants(keyId, [FULL, { on: folders.data[0]!.id, level: "none" }]);
  const again = stage.again();
  return (call, before) => {
    const story = `a grant is taken, the mirror killed at call ${call}, the grant given back`;
    return crashUnseen(keyId, again(story), call, before);
  };
}

async function crashUnseen(keyId: string, stage: Stage, call: number, before: string): Promise<End> {
  stage.mirror.killAt(call);
  const finished = (await stage.mirror.sync()) !== null;
  const left = stage.leftovers();
  if (left === before) return { failures: [], finished, left };
  stage.rig.service.admin.setGrants(keyId, [FULL]);
  await stage.settle();
  return { failures: stage.failures, finished, left };
}

function atEveryCall(name: string, begin: () => Promise<Once>): FaultTest {
  return {
    name: `killed at every call: ${name}`,
    async run() {
      const once = await begin();
      let before = "";
      for (let call = 1; ; call++) {
        const { failures, finished, left } = await once(call, before);
        if (failures.length > 0 || finished) return failures;
        before = left;
      }
    },
  };
}

/** The tests that find most come first. */
export const CRASHES: readonly FaultTest[] = [
  atEveryCall("a file is taken away that the key cannot see for a while", beginUnseen),
  ...STORIES.map((story) => atEveryCall(story.name, () => beginStory(story))),
];
