import { expect, test } from "vitest";
import { createRig } from "../../simulator/rig.ts";
import { startDaemon } from "./rig.ts";

const LINES = Array.from({ length: 8 }, (_, line) => `line ${line} of the note\n\n`);
const TEXT = LINES.join("");

test.each([
  ["as it was", TEXT],
  ["with a line more", `${TEXT}a line more\n`],
])(
  "I09 a copy that is made %s, and waited for, while its original is being written is a new document",
  async (_, copy) => {
    const rig = createRig(1);
    const id = rig.app.create("note.md", TEXT);
    rig.app.create("other.md", "another document\n");
    const daemon = await startDaemon({ rig });
    daemon.save("copy.md", copy);
    const over = new AbortController();
    const asked = daemon.daemon.whenSynced(["copy.md"], over.signal);
    for (let n = 0; n < 20; n++) {
      daemon.save("note.md", TEXT.replace("line 3", `line 3, written ${n} times`));
      await daemon.pass(100);
    }
    await daemon.pass(20_000);
    over.abort();
    expect(await asked).toMatchObject({ paths: [{ path: "copy.md", state: "live" }] });
    expect(rig.app.files().get("note.md")?.id).toBe(id);
    expect(rig.app.files().get("note.md")?.text).toBe(daemon.mirrored.texts().get("note.md"));
    expect(rig.app.files().get("copy.md")?.text).toBe(copy);
    expect(daemon.sent().filter((request) => /^(?:PATCH|DELETE) /.test(request))).toEqual([]);
    expect([...daemon.mirrored.texts().keys()]).toEqual(["copy.md", "note.md", "other.md"]);
  },
);

test("I09 a file that was copied to another name and removed keeps its id", async () => {
  const rig = createRig(1);
  const id = rig.app.create("note.md", TEXT);
  rig.app.create("other.md", "another document\n");
  const daemon = await startDaemon({ rig });
  daemon.save("copy.md", TEXT);
  daemon.remove("note.md");
  await daemon.pass(20_000);
  expect([...rig.app.files()].map(([path, file]) => [path, file.id])).toContainEqual(["copy.md", id]);
  expect(rig.app.files().size).toBe(2);
  expect(daemon.sent().filter((request) => /^(?:POST|DELETE) /.test(request))).toEqual([]);
});

const NOTE = "# Note\n\na first line of some length\na second line of some length\n";
const NEW = "# New\n\nanother text altogether\n";

test("I09 a file that is moved, and written on while another gets its name, is the document", async () => {
  const made = createRig(1);
  const id = made.app.create("note.md", NOTE);
  made.app.create("other.md", "# Other\n");
  const rig = await startDaemon({ rig: made });
  let text = NOTE;
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
