import { digestOf } from "../../../../src/contract/digest.ts";
import { writesIn, REVIEWS } from "./reviews.ts";
import { type FaultTest, faultTest, marked, type Stage, textOf } from "./stage.ts";

/**
 * Stories that need a correct memory: of conflicts, refusals, normalised content, ignore rules,
 * late writes and power loss.
 */

const sidecars = (stage: Stage) => [...stage.mirror.texts().keys()].filter((path) => path.includes("(theirs"));

async function clash(stage: Stage): Promise<void> {
  await stage.begin(["a.md", "b.md"]);
  stage.here("a.md", 1, "here");
  stage.there(stage.id("a.md"), 1, "there");
  await stage.mirror.sync();
}

const CONFLICTS: readonly FaultTest[] = [
  faultTest("two edits clash, and nobody decides", {}, async (stage) => {
    await clash(stage);
    stage.expect(`I27 ${sidecars(stage).length} sidecars after a clash`, sidecars(stage).length === 1);
    stage.there(stage.id("a.md"), 6, "there-again");
    await stage.settle();
    stage.expect("I27 a newer version has no name of its own", sidecars(stage).join() === "a (theirs 2).md");
    stage.expect("I07 one side was taken by itself", stage.mirror.state.load().conflicts.size === 1);
    stage.expect("I12 the local text is gone", stage.mirror.texts().get("a.md")?.includes("mark here;") === true);
  }),
  faultTest("a clash is decided, and what gave way is kept", {}, async (stage) => {
    await clash(stage);
    const { mirror, rig } = stage;
    const theirs = rig.app.files().get("a.md")!.text;
    const draft = marked(textOf("a.md"), 8, "draft");
    mirror.write("a.md", draft);
    await mirror.sync();
    mirror.write("a.md", marked(textOf("a.md"), 9, "final"));
    for (const at of sidecars(stage)) mirror.disk.user.remove(mirror.path(at));
    for (let n = 0; n < 3; n++) await mirror.sync();
    stage.expect("I27 the clash goes on", mirror.state.load().conflicts.size === 0);
    stage.expect("I03 the text that a conflict held for a while is nowhere", mirror.state.hasText(digestOf(draft)));
    stage.expect("I03 the other side's text is nowhere", mirror.state.hasText(digestOf(theirs)));
  }),
  faultTest("a copy is removed, and the service has moved on", {}, async (stage) => {
    await clash(stage);
    const { mirror } = stage;
    for (const at of sidecars(stage)) mirror.disk.user.remove(mirror.path(at));
    stage.there(stage.id("a.md"), 1, "elsewhere");
    for (let n = 0; n < 3; n++) await mirror.sync();
    stage.expect("I06 a version that nobody saw was decided about", mirror.state.load().conflicts.size === 1);
    stage.expect("I27 another version has the name of a removed copy", sidecars(stage).join() === "a (theirs 2).md");
  }),
  faultTest("a sidecar is missing for a moment", {}, async (stage) => {
    await clash(stage);
    const [at] = sidecars(stage);
    if (at === undefined) return stage.fail("I27 no sidecar");
    const { mirror, rig } = stage;
    const text = mirror.disk.user.read(mirror.path(at))!;
    const { sleep } = rig.clock;
    mirror.disk.user.remove(mirror.path(at));
    rig.clock.sleep = (ms, signal) => {
      if (ms === 2_000 && !mirror.disk.user.exists(mirror.path(at))) mirror.disk.user.write(mirror.path(at), text);
      return sleep(ms, signal);
    };
    await mirror.sync();
    rig.clock.sleep = sleep;
    stage.expect("I27 one look was taken for a decision", mirror.state.load().conflicts.size === 1);
  }),
  faultTest("first sync, with another text at each side", {}, async (stage) => {
    stage.rig.app.create("a.md", marked(textOf("a.md"), 1, "theirs"));
    stage.mirror.write("a.md", marked(textOf("other"), 1, "mine"));
    stage.noteMark("theirs");
    stage.noteMark("mine");
    await stage.mirror.sync();
    const [local, remote] = [stage.mirror.texts().get("a.md"), stage.rig.app.files().get("a.md")?.text];
    stage.expect("I05 a first sync overwrote the local text", local?.includes("mark mine;") === true);
    stage.expect("I05 a first sync overwrote the service's text", remote?.includes("mark theirs;") === true);
    await stage.settle();
  }),
];

const MERGES: readonly FaultTest[] = [
  faultTest("two edits merge, and the versions that went into it are kept", {}, async (stage) => {
    await stage.begin(["a.md", "b.md"]);
    const { mirror, rig } = stage;
    stage.here("a.md", 1, "here");
    stage.there(stage.id("a.md"), 8, "there");
    const mine = mirror.texts().get("a.md")!;
    const theirs = rig.app.files().get("a.md")!.text;
    await mirror.sync();
    await stage.settle();
    const merged = rig.app.files().get("a.md")!.text;
    stage.expect("I06 the two edits did not merge", merged !== mine && merged !== theirs);
    for (const [side, text] of [
      ["local", mine],
      ["service's", theirs],
    ] as const)
      stage.expect(`I03 the ${side} text that was merged is nowhere`, mirror.state.hasText(digestOf(text)));
  }),
];

const REFUSALS: readonly FaultTest[] = [
  faultTest("a write is refused", {}, async (stage) => {
    await stage.begin(["a.md", "b.md"]);
    stage.here("a.md", 1, "refused");
    stage.sent.length = 0;
    const body = JSON.stringify({
      status: 403,
      code: "forbidden",
      title: "no",
      detail: "injected",
      requestId: "req_injected",
    });
    stage.befall = ({ method }) =>
      method === "PUT" ? { status: 403, headers: { "content-type": "application/problem+json" }, body } : null;
    for (let n = 0; n < 3; n++) await stage.syncAsCron();
    stage.expect(`I08 I16 I22 sent ${writesIn(stage, "PUT").length} times`, writesIn(stage, "PUT").length === 1);
    stage.expect("I22 no hold tells of it", stage.mirror.state.load().holds.has(stage.id("a.md")));
    await stage.settle();
  }),
];

const NORMALISED: readonly FaultTest[] = [
  faultTest("a service that normalises what is new", { normalise: true }, async (stage) => {
    for (let n = 0; n < 6; n++) stage.mirror.write(`new-${n}.md`, `one ${n}\r\ntwo\r\nthree`);
    await stage.mirror.sync();
    await stage.settle();
    stage.here("new-5.md", 0, "edit");
    await stage.settle();
  }),
  faultTest("a service that normalises an edit away", { normalise: true }, async (stage) => {
    await stage.begin(["a.md"]);
    stage.mirror.write("a.md", textOf("a.md").replaceAll("\n", "\r\n"));
    await stage.mirror.sync();
    await stage.settle();
  }),
];

const FILES: readonly FaultTest[] = [
  faultTest("a document is ignored, and then not any more", {}, async (stage) => {
    await stage.begin(["keep/a.md", "b.md"]);
    stage.mirror.write(".mdmirrorignore", "keep/\n");
    await stage.mirror.sync();
    await stage.mirror.sync();
    stage.expect("I18 an ignore rule deleted a document", stage.rig.app.files().has("keep/a.md"));
    stage.mirror.disk.user.remove(stage.mirror.path(".mdmirrorignore"));
    await stage.settle();
  }),
  faultTest("two files change places", {}, async (stage) => {
    await stage.begin(["a.md", "b.md", "c.md"]);
    const { disk, path } = stage.mirror;
    disk.user.rename(path("a.md"), path("t"));
    disk.user.rename(path("b.md"), path("a.md"));
    disk.user.rename(path("t"), path("b.md"));
    await stage.settle();
    stage.expect("I09 a swap exchanged two ids", stage.rig.app.files().get("b.md")?.id === stage.id("a.md"));
  }),
  faultTest("a file is touched", {}, async (stage) => {
    await stage.begin(["a.md"]);
    stage.mirror.disk.user.write(stage.mirror.path("a.md"), textOf("a.md"));
    stage.sent.length = 0;
    await stage.mirror.sync();
    stage.expect("I29 a new mtime was taken for an edit", writesIn(stage, "PUT").length === 0);
  }),
  faultTest("new documents are edited while their folder is made", {}, async (stage) => {
    const paths = Array.from({ length: 6 }, (_, n) => `box/note-${n}.md`);
    for (const path of paths) stage.mirror.write(path, textOf(path));
    stage.befall = ({ method, path }) => {
      if (method === "POST" && path.startsWith("/v1/folders"))
        for (const one of paths) stage.here(one, 3, `early-${one}`);
      return null;
    };
    await stage.mirror.sync();
    stage.checkBase();
    await stage.settle();
  }),
  faultTest("an editor saves into the file that was replaced", {}, async (stage) => {
    await stage.begin(["a.md", "b.md"]);
    const handle = stage.mirror.disk.user.open(stage.mirror.path("a.md"));
    stage.there(stage.id("a.md"), 1, "there");
    await stage.mirror.sync();
    stage.noteMark("late");
    handle.write(marked(textOf("a.md"), 8, "late"));
    await stage.settle();
  }),
  ...(
    [
      // Nothing or zeros remain of the bytes.
      ["before new files reached the medium", [0.5, 0.7]],
      // Whole sectors remain, up to 0.5 and 0.8 of the bytes; the rest is cut off or zeroed.
      ["when half of the new files reached the medium", [0.9, 0.5, 0.9, 0.9, 0.8, 0.1]],
    ] as const
  ).map(([when, rolls]) =>
    faultTest(`the power goes ${when}`, {}, async (stage) => {
      const paths = Array.from({ length: 80 }, (_, n) => `note-${n}.md`);
      // Longer than a few sectors; some contents have characters that cross a sector's end.
      const text = (path: string) =>
        `${textOf(path).repeat(5)}${(/[05]/.test(path) ? "\u{1f44b}" : "wave").repeat(400)}\n`;
      await stage.begin(["first.md"]);
      stage.mirror.disk.settle();
      for (const path of paths) stage.rig.app.create(path, text(path));
      await stage.syncAsCron();
      // All names remain.
      let rolled = 0;
      stage.mirror.disk.losePower(() => (rolled++ === 0 ? 0.99 : rolls[(rolled - 2) % rolls.length]!));
      await stage.syncAsCron({ bootId: "boot-2" });
      await stage.settle();
      stage.expect(`I13 ${stage.rig.app.files().size} of 81 are left there`, stage.rig.app.files().size === 81);
      stage.expect(`I13 ${stage.mirror.texts().size} of 81 are left here`, stage.mirror.texts().size === 81);
      for (const path of paths) {
        stage.expect(`I13 ${path} is torn there`, stage.rig.app.files().get(path)?.text === text(path));
        stage.expect(`I13 ${path} is torn here`, stage.mirror.texts().get(path) === text(path));
      }
    }),
  ),
];

export const COURSES: readonly FaultTest[] = [
  ...REVIEWS,
  ...CONFLICTS,
  ...MERGES,
  ...REFUSALS,
  ...NORMALISED,
  ...FILES,
];
