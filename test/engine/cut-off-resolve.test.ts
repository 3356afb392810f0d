import { describe, expect, test } from "vitest";
import { digestOf } from "../../src/contract/digest.ts";
import type { Resolution } from "../../src/mirror/operations/manual/resolve.ts";
import { killAtEachCall } from "../simulator/kill-at-each-call.ts";
import type { Pair } from "../simulator/moment.ts";
import { Killed } from "../simulator/process.ts";
import { createRig } from "../simulator/rig.ts";
import { resolve } from "./resolving.ts";
import { settle, openSynced } from "../promises/fixture.ts";

/**
 * A conflict is ended by hand with another text, the process dies at any call of that, and the
 * document is edited on the service: the text that was chosen counts as made of what was shown, or
 * nothing was chosen yet.
 */

const LINES = Array.from({ length: 16 }, (_, line) => `line ${line}\n\n`);
const EDITED = LINES.with(12, "by the editor\n\n");
const SHOWN = LINES.with(12, "by the app, in the same place\n\n");
/** Two paragraphs are uploaded; the service then has another one between them. */
const without = (lines: readonly string[]): string => [...lines.slice(0, 3), ...lines.slice(5)].join("");
const backAgain = (lines: readonly string[]): string => lines.toSpliced(4, 0, "by the app\n\n").join("");
const BOTH = LINES.with(12, "by the editor and the app\n\n");
const CHOICES: Readonly<Record<string, { readonly way: Resolution; readonly ends: string }>> = {
  "with the text of the service": { way: { kind: "theirs" }, ends: backAgain(SHOWN) },
  "with a merged text": { way: { kind: "merged", text: without(BOTH) }, ends: backAgain(BOTH) },
};

async function inConflict(): Promise<Pair> {
  const { rig, mirror } = await openSynced({ "note.md": LINES.join(""), "other.md": "another document\n" });
  mirror.write("note.md", EDITED.join(""));
  rig.app.edit("note.md", without(SHOWN));
  await mirror.sync();
  expect([...mirror.texts().keys()]).toContain("note (theirs).md");
  return { rig, mirror };
}

describe.each(Object.entries(CHOICES))(
  "I06 I10 I13 a conflict is ended %s, and the process dies meanwhile",
  (_, choice) => {
    test("an edit that the service received meanwhile stays on the service", async () => {
      const ended = new Set<boolean>();
      await killAtEachCall(await inConflict(), {
        work: ({ mirror }) => resolve(mirror, "note.md", choice.way),
        async judge({ rig, mirror }, at) {
          rig.app.edit("note.md", backAgain(SHOWN));
          await settle(mirror);
          const remote = rig.app.files().get("note.md")?.text;
          const isOpen = mirror.state.load().conflicts.size > 0;
          ended.add(!isOpen);
          const local = [
            ...(isOpen ? [["note (theirs 2).md", backAgain(SHOWN)]] : []),
            ["note.md", isOpen ? EDITED.join("") : choice.ends],
            ["other.md", "another document\n"],
          ];
          expect({ at, remote }).toEqual({ at, remote: isOpen ? backAgain(SHOWN) : choice.ends });
          expect({ at, local: [...mirror.texts()] }).toEqual({ at, local });
        },
      });
      expect(ended).toEqual(new Set([false, true]));
    });
  },
);

test("I13 a block ends with the decision, and the process dies right after that", async () => {
  const rig = createRig(1);
  rig.app.create("note.md", "one\n");
  const { id } = rig.app.files().get("note.md")!;
  const mirror = rig.mirror({ key: rig.makeKey().key });
  await mirror.sync();
  mirror.write("note.md", "mine\n");
  await mirror.sync();
  expect([...mirror.state.load().blocks.keys()]).toEqual([id]);
  rig.app.edit("note.md", "theirs\n");
  const { state } = mirror;
  const transact = state.transact.bind(state);
  const dying = <T>(work: () => T): T => {
    const end = transact(work);
    if (state.link(id)?.digest === digestOf("theirs\n")) throw new Killed();
    return end;
  };
  Object.assign(state, { transact: dying });
  await expect(resolve(mirror, "note.md", "theirs")).rejects.toThrow(Killed);
  Object.assign(state, { transact });
  expect([...state.load().blocks.keys()]).toEqual([]);
});
