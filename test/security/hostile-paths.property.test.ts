import { anyCharacter, fc, runs } from "../property.ts";
import { describe, expect, it } from "vitest";
import { DISKS, LIE, lieAt, openHostile } from "./hostile-fixture.ts";

/**
 * Files that a cycle may leave in `.mdmirror`: set-aside files for the next cycle, and files in the
 * trash.
 */
const KEPT = /^home\/ann\/notes\/\.mdmirror\/(tmp\/park-|trash\/)/;

describe("I26 for any paths that the service lists", () => {
  const name = fc.oneof(
    fc.constantFrom("..", ".", "", ".mdmirror", ".MDMirror", ".git", "tmp", "trash", "etc", "a", "A", "a.md", "x.md"),
    fc.constantFrom(
      "x.MD",
      "note (theirs).md",
      ".md",
      "..md",
      "caf\u00e9.md",
      "cafe\u0301.md",
      "\u202ex.md",
      "\ufeff.md",
    ),
    fc.constantFrom(
      "\u754c".repeat(120),
      "CON",
      "nul.md",
      "x.md.",
      "x .md",
      "C:",
      "~",
      "~root.md",
      "-mdmirror-00000000.md",
    ),
    fc.string({ unit: anyCharacter, maxLength: 12 }).map((text) => `${text}.md`),
    fc.string({ unit: "grapheme", maxLength: 6 }),
  );
  const path = fc
    .tuple(
      fc.constantFrom("", "/", "//", "../", "/etc/"),
      fc.array(name, { minLength: 1, maxLength: 5 }),
      fc.constantFrom("/", "\\", "//"),
    )
    .map(([start, names, separator]) => start + names.join(names.length > 3 ? separator : "/"));
  const file = fc.record({ path, id: fc.integer({ min: 1, max: 6 }) });
  const folder = fc.record({ path, id: fc.integer({ min: 1, max: 4 }) });
  const looks = fc.array(
    fc.record({ files: fc.array(file, { maxLength: 5 }), folders: fc.array(folder, { maxLength: 3 }) }),
    {
      minLength: 1,
      maxLength: 3,
    },
  );

  it("nothing outside the root and nothing of ours is touched, and honest documents are synced", async () => {
    let lies = 0;
    let mirrored = 0;
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...Object.values(DISKS)), looks, async (options, seen) => {
        const fixture = openHostile(options);
        const { app } = fixture.rig;
        app.create("good/one.md", "0\n");
        fixture.mirror.write("mine.md", "mine\n");
        const before = fixture.others();
        for (const [round, look] of seen.entries()) {
          fixture.lies = {
            files: look.files.map(({ path: at, id }) =>
              lieAt(at, { id: `doc_nasty${id}`, lastChangeId: `chg_n${id}` }),
            ),
            folders: look.folders.map(({ path: at, id }) => ({ id: `dir_nasty${id}`, path: at })),
          };
          app.edit("good/one.md", `${round}!\n`);
          await fixture.sync();
          lies += look.files.length + look.folders.length;
          mirrored += [...fixture.texts().values()].filter((text) => text === LIE).length;
          expect(fixture.texts().get("good/one.md")).toBe(`${round}!\n`);
          expect(fixture.rig.app.text("mine.md")).toBe("mine\n");
          const after = fixture.others();
          for (const at of after.keys()) if (KEPT.test(at)) after.delete(at);
          expect(after).toEqual(before);
        }
      }),
      { numRuns: runs(50) },
    );
    // Enough of the generated lies are believable, so that mdmirror does write files.
    expect(lies).toBeGreaterThan(150);
    expect(mirrored).toBeGreaterThan(15);
  });
});
