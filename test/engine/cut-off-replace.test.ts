import { describe, expect, test } from "vitest";
import { killAtEachCall } from "../simulator/kill-at-each-call.ts";
import type { Pair } from "../simulator/moment.ts";
import { settle, openSynced } from "../promises/fixture.ts";

/**
 * The mirror is killed while it gives a file another text, and that document is edited on the
 * service before it starts again: what the mirror wrote itself is nobody's edit.
 */

const LINES = Array.from({ length: 16 }, (_, line) => `line ${line}\n\n`);
const OTHER = "another document\n";
const STRANGER = "a new document at the free path\n";
const BASE = LINES.join("");
const LAST = "and a last line\n";
const withEditor = LINES.with(12, "by the editor\n\n").join("");
/** Two paragraphs go, and come back with another one between them. */
const without = [...LINES.slice(0, 3), ...LINES.slice(5)].join("");
const GAP = `${LINES[2]!}${LINES[5]!}`;
const APP = "by the app\n\n";
const backAgain = (lines: readonly string[]): string => lines.toSpliced(4, 0, APP).join("");

type Course = {
  /** Until a pass of the mirror would write to the file. */
  readonly begin: (pair: Pair) => Promise<void>;
  readonly ends: string;
};

const COURSES: Readonly<Record<string, Course>> = {
  "a text of the service": {
    begin: async ({ rig }) => void rig.app.edit("note.md", without),
    ends: backAgain(LINES),
  },
  "two edits merged": {
    begin: async ({ rig, mirror }) => {
      mirror.write("note.md", withEditor);
      rig.app.edit("note.md", without);
    },
    ends: backAgain(LINES.with(12, "by the editor\n\n")),
  },
  "the end of a conflict, as a newer version merges": {
    begin: async ({ rig, mirror }) => {
      mirror.write("note.md", withEditor);
      rig.app.edit("note.md", LINES.with(12, "by the app, in the same place\n\n").join(""));
      await mirror.sync();
      expect([...mirror.texts().keys()]).toContain("note (theirs).md");
      rig.app.edit("note.md", without);
    },
    ends: backAgain(LINES.with(12, "by the editor\n\n")),
  },
};

async function start({ begin }: Course): Promise<Pair> {
  const { rig, mirror } = await openSynced({ "note.md": BASE, "other.md": OTHER });
  await begin({ rig, mirror });
  return { rig, mirror };
}

/**
 * Until the mirror sends something: then the service has what was written.
 * @param act at the folder, while no mirror runs
 * @returns how many calls there are until then
 */
async function killEverywhere(course: Course, act: (pair: Pair) => void, judge: (pair: Pair, at: number) => void) {
  const begun = await start(course);
  const before = begun.mirror.requests.length;
  const sentBy = ({ mirror }: Pair): string[] => mirror.requests.slice(before);
  return await killAtEachCall(begun, {
    until: (pair) => sentBy(pair).some((request) => !request.startsWith("GET ")),
    async judge(pair, at, lived) {
      const { rig, mirror } = pair;
      const { id, text } = rig.app.files().get("note.md")!;
      // What it has not read it has not written.
      if (lived || !sentBy(pair).includes(`GET /v1/files/${id}`)) return;
      act(pair);
      rig.app.edit("note.md", text.replace(GAP, LINES.slice(2, 6).toSpliced(2, 0, APP).join("")));
      await settle(mirror);
      judge(pair, at);
    },
  });
}

describe.each(Object.entries(COURSES))("I06 I10 I13 a file that is written when the process dies: %s", (_, course) => {
  test("and so does an edit of what was written", async () => {
    await killEverywhere(
      course,
      ({ mirror }) => {
        // The kill may have left it aside: then there is no file to be edited.
        const here = mirror.texts().get("note.md");
        if (here !== undefined) mirror.write("note.md", here + LAST);
      },
      ({ rig, mirror }, at) => {
        const there = rig.app.files().get("note.md")?.text;
        expect({ at, there: there?.replace(LAST, "") }).toEqual({ at, there: course.ends });
        expect({ at, here: [...mirror.texts()] }).toEqual({
          at,
          here: [
            ["note.md", there],
            ["other.md", OTHER],
          ],
        });
      },
    );
  });

  test("and keeps its document when another one came to the free path", async () => {
    const places = new Set<number>();
    await killEverywhere(
      course,
      ({ mirror }) => {
        if (mirror.texts().has("note.md")) return;
        mirror.write("note.md", STRANGER);
        places.add(mirror.requests.length);
      },
      ({ rig }, at) => {
        const texts = [...rig.app.files().values()].map(({ text }) => text);
        const kept = texts.filter((text) => text !== STRANGER).sort();
        expect({ at, kept }).toEqual({ at, kept: [course.ends, OTHER].sort() });
      },
    );
    expect(places.size).toBeGreaterThan(0);
  });
});
