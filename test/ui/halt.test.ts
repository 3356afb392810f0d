import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { COUNT, isThere, namesOf, openHalt } from "./halt.ts";
import { toneOf, type UiRig } from "./rig.ts";

/** A user at the page of a stop. */
async function personAt({ ask, enter, ui, rig }: UiRig) {
  const cookie = await enter();
  const see = async (query = "") => (await ask(`/m/w/safety-stop${query}`, { headers: { cookie } })).text;
  return {
    see,
    /** The page, when it says that. */
    async until(text: string): Promise<string> {
      let shown = "";
      await expect
        .poll(async () => {
          shown = await see();
          return shown;
        })
        .toContain(text);
      return shown;
    },
    async answer(shown: string, what: "approve" | "reject") {
      const [, csrf] = /name="csrf-token" content="([^"]+)"/.exec(shown)!;
      const [, seen = ""] = /name="seen" value="([^"]+)"/.exec(shown) ?? [];
      const body = new URLSearchParams({ csrf: csrf!, root: rig.root, seen });
      const { status } = await ask(`/m/w/safety-stop/${what}`, {
        method: "POST",
        headers: { cookie, origin: ui.url },
        body,
      });
      expect(status).toBe(303);
    },
  };
}

describe("a stop", () => {
  test("asks with numbers that agree, lists the changes by folder, and its answer syncs by itself", async () => {
    const rigged = await openHalt();
    const person = await personAt(rigged);
    const shown = await person.until(`<button class="danger">Delete ${COUNT} documents</button>`);
    expect(shown).toContain("<h1>Delete 12 documents on the service?</h1>");
    expect([...shown.matchAll(/<details class="card flush" id="([^"]+)"/g)].map(([, id]) => id)).toEqual(["stopped-d"]);
    expect(shown).toContain('<span class="count quiet">13</span>');
    expect(shown.indexOf(">d/03.md")).toBeLessThan(shown.indexOf(">d/11.md"));
    await person.answer(shown, "approve");
    const after = await person.until('class="banner good"');
    expect(isThere(rigged)).toBe(0);
    expect(after).not.toContain('id="answers"');
  });

  test("asks before both sides are read, without buttons", async () => {
    const rigged = await openHalt();
    const person = await personAt(rigged);
    const shown = await person.see();
    expect(shown).toContain("<h1>Delete documents on the service?</h1>");
    expect(shown).not.toContain('id="answers"');
  });

  test("is rejected as the command does, and nothing is stopped then", async () => {
    const rigged = await openHalt();
    const person = await personAt(rigged);
    await person.answer(await person.until("Keep them: restore 12 files"), "reject");
    const after = await person.until('class="banner good"');
    expect(after).toContain("<h1>12 files are restored.</h1>");
    for (const name of namesOf()) expect(rigged.rig.read(name)).toBe(`text of ${name}\n`);
    expect(isThere(rigged)).toBe(COUNT);
    expect(after).not.toContain('id="answers"');
    expect(after).not.toMatch(/href="\/m\/w\/needs">.*<span class="count/);
  });

  test.each(["approve", "reject"] as const)(
    "has grown since it was shown: %s does nothing, and what is stopped now is shown",
    async (what) => {
      const rigged = await openHalt();
      const person = await personAt(rigged);
      const shown = await person.until("Delete 12 documents</button>");
      rmSync(join(rigged.rig.root, "a.md"));
      await person.answer(shown, what);
      const grown = await person.until("Delete 13 documents</button>");
      expect(toneOf(grown)).toBe("asks");
      expect(grown).toContain("a.md");
      expect(existsSync(join(rigged.rig.root, "d"))).toBe(false);
      expect(isThere(rigged)).toBe(COUNT);
    },
  );
});
