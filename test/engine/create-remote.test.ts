import { expect, test } from "vitest";
import { createRig, type Mirror, type Rig } from "../model/rig.ts";

const LINES = Array.from({ length: 12 }, (_, line) => `line ${line}\n\n`);
const textWith = (line: number, by: string) => LINES.with(line, `by ${by}\n\n`).join("");

test("I07 I14 a new document that was edited on both sides before it was read back keeps both edits", async () => {
  let meet: (() => void) | null = null;
  const rig: Rig = createRig(1, {
    fault: ({ method, path }) => {
      if (method === "GET" && path.startsWith("/v1/files/doc_")) {
        meet?.();
        meet = null;
      }
      return null;
    },
  });
  const mirror: Mirror = rig.mirror();
  mirror.write("note.md", LINES.join(""));
  meet = () => {
    rig.app.edit("note.md", textWith(2, "the app"));
    mirror.disk.user.write(mirror.path("note.md"), textWith(9, "the person here"));
  };
  for (let n = 0; n < 3; n++) await mirror.sync();
  const both = LINES.with(2, "by the app\n\n").with(9, "by the person here\n\n").join("");
  expect(rig.app.files().get("note.md")?.text).toBe(both);
  expect(mirror.texts().get("note.md")).toBe(both);
});
