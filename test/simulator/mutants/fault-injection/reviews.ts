import { type FaultTest, faultTest, Stage } from "./stage.ts";

/** Stories of an edit that the service keeps for review. */

export const writesIn = (stage: Stage, method: string) => stage.sent.filter((one) => one.method === method);

const ANSWERED: readonly FaultTest[] = (["answered", "drop-before", "drop-after"] as const).map((how) =>
  faultTest(`an edit of a protected document, ${how}`, {}, async (stage) => {
    await stage.begin(["a.md", "b.md"]);
    stage.rig.app.protect("a.md", true);
    await stage.mirror.sync();
    stage.here("a.md", 1, "reviewed");
    stage.sent.length = 0;
    stage.befall = ({ method }) =>
      method === "PUT" && writesIn(stage, "PUT").length === 1 && how !== "answered" ? how : null;
    for (let n = 0; n < 3; n++) await stage.mirror.sync();
    stage.expect(`I08 I31 sent to review ${writesIn(stage, "PUT").length} times`, writesIn(stage, "PUT").length === 1);
    const text = stage.mirror.texts().get("a.md");
    stage.expect("I31 the local text was reverted", text?.includes("mark reviewed;") === true);
  }),
);

const KILLED_REVIEW: FaultTest = {
  name: "an edit of a protected document, killed at every call",
  async run() {
    let before = "";
    const first = new Stage("an edit of a protected document");
    await first.begin(["a.md", "b.md"]);
    first.rig.app.protect("a.md", true);
    await first.mirror.sync();
    first.here("a.md", 1, "reviewed");
    const again = first.again();
    for (let call = 1; ; call++) {
      const stage = again(`an edit of a protected document, killed at call ${call}`);
      stage.mirror.killAt(call);
      const finished = (await stage.mirror.sync()) !== null;
      const left = stage.leftovers();
      if (left === before && !finished) continue;
      before = left;
      for (let n = 0; n < 2; n++) await stage.mirror.sync();
      if (writesIn(stage, "PUT").length > 1) stage.fail("I08 a text was sent to review twice");
      if (stage.failures.length > 0 || finished) return stage.failures;
    }
  },
};

export const REVIEWS: readonly FaultTest[] = [...ANSWERED, KILLED_REVIEW];
