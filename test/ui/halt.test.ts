import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { COUNT, isThere, namesOf, openHalt } from "./halt.ts";
import type { UiRig } from "./rig.ts";

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
    async answer(shown: string, what: "approve" | "reject" | "sync") {
      const [, csrf] = /name="csrf-token" content="([^"]+)"/.exec(shown)!;
      const [, seen = ""] = /name="seen" value="([^"]+)"/.exec(shown) ?? [];
      const body = new URLSearchParams({ csrf: csrf!, root: rig.root, seen });
      const path = what === "sync" ? "/m/w/sync" : `/m/w/safety-stop/${what}`;
      const { status } = await ask(path, { method: "POST", headers: { cookie, origin: ui.url }, body });
      expect(status).toBe(303);
    },
  };
}

describe("a stop", () => {
  test("is listed by path, with the stopped changes and the effect of a rejection, and approves exactly the shown changes", async () => {
    const rigged = await openHalt();
    const person = await personAt(rigged);
    const shown = await person.until(`Carry out ${COUNT + 1} changes`);
    expect(shown).toContain("Stopped: 13");
    expect(shown).toContain("Delete 12 documents on the service?");
    expect(shown).toContain("<b>12</b> delete on the service");
    expect(shown.indexOf(">03.md")).toBeLessThan(shown.indexOf(">11.md"));
    expect(shown).toContain("with the same id and history");
    await person.answer(shown, "approve");
    const after = await person.until("Approved: the next sync");
    expect(isThere(rigged)).toBe(COUNT);
    await person.answer(after, "sync");
    await expect.poll(() => isThere(rigged)).toBe(0);
    await person.until("Nothing is stopped");
  });

  test("is rejected as the command does", async () => {
    const rigged = await openHalt();
    const person = await personAt(rigged);
    await person.answer(await person.until("Undo 13 changes"), "reject");
    const after = await person.until("13 restored");
    for (const name of namesOf()) expect(rigged.rig.read(name)).toBe(`text of ${name}\n`);
    await person.answer(after, "sync");
    await person.until("Nothing is stopped");
    expect(isThere(rigged)).toBe(COUNT);
  });

  test.each(["approve", "reject"] as const)(
    "has grown since it was shown: %s does nothing, and what is stopped now is shown",
    async (what) => {
      const rigged = await openHalt();
      const person = await personAt(rigged);
      const shown = await person.until("Carry out 13 changes");
      rmSync(join(rigged.rig.root, "a.md"));
      await person.answer(shown, what);
      await person.until("nothing was written: the stop changed since it was read");
      expect(existsSync(join(rigged.rig.root, "d"))).toBe(false);
      expect(isThere(rigged)).toBe(COUNT);
      expect(await person.until("Carry out 14 changes")).toContain("a.md");
    },
  );
});
