import { expect, test } from "vitest";
import { createRig } from "../../simulator/rig.ts";
import { startDaemon } from "./rig.ts";

const TEXT = "# Note\n\na first line of some length\na second line of some length\n";
const NEW = "# New\n\nanother text altogether\n";

test("I09 a file that is moved, and written on while another gets its name, is the document", async () => {
  const made = createRig(1);
  const id = made.app.create("note.md", TEXT);
  made.app.create("other.md", "# Other\n");
  const rig = await startDaemon({ rig: made });
  let text = TEXT;
  for (let n = 0; n < 40; n++) {
    // Somebody else writes all the time, so that at some moment what has settled is judged alone.
    rig.save("other.md", `# Other\n\n${n}\n`);
    if (n === 14) {
      rig.rename("note.md", "moved.md");
      rig.save("note.md", NEW);
    }
    if (n >= 14) {
      text += `${n}\n`;
      rig.save("moved.md", text);
    }
    await rig.pass(150);
  }
  await rig.pass(10_000);
  expect(rig.app.files().get("moved.md")).toMatchObject({ id, text });
  expect(rig.app.files().get("note.md")).toMatchObject({ text: NEW });
  expect(rig.daemon.status().lastReport!.attention).toEqual([]);
});
