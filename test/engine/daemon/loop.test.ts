import { describe, expect, test } from "vitest";
import { createRig } from "../../model/rig.ts";
import { startDaemon } from "./rig.ts";

const TEXT = "# Plan\n\nfirst line\nsecond line\n";

async function withNote() {
  const rig = createRig(1);
  const id = rig.app.create("notes/plan.md", TEXT);
  rig.app.create("notes/other.md", "# Other\n\nits text\n");
  return { ...(await startDaemon({ rig })), id };
}

describe("a local edit", () => {
  test("is one PUT, 300 ms after its last event, without a listing", async () => {
    const { save, pass, sent, app, stop, id } = await withNote();
    save("notes/plan.md", `${TEXT}third\n`);
    await pass(200);
    save("notes/plan.md", `${TEXT}third line\n`);
    await pass(290);
    expect(sent("PUT")).toEqual([]);
    await pass(100);
    expect(sent("")).toEqual([]);
    expect(app.files().get("notes/plan.md")).toMatchObject({ id, text: `${TEXT}third line\n` });
    await stop();
  });
});
