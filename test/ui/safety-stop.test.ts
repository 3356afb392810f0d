import { describe, expect, test } from "vitest";
import { hasBrowser, openPage, shoot } from "./browser.ts";
import { formIn, openSignedIn, type SignedIn, toneOf, type UiRig } from "./rig.ts";

const PAGE = "/m/w/safety-stop";

/** Number of deleted documents, above the default limit of the safety check. */
const COUNT = 12;

const NAMES: readonly string[] = Array.from({ length: COUNT }, (_, at) => `d/${String(at).padStart(2, "0")}.md`);

/**
 * Opens `w` with a stopped sync: a safety check stops the deletion of all documents of a folder.
 */
async function openHalt(): Promise<SignedIn> {
  const opened = await openSignedIn();
  const { rig } = opened;
  for (const name of [...NAMES, "a.md", "b.md"]) rig.write(name, `text of ${name}\n`);
  await rig.run(["sync", "w"]);
  rig.remove("d");
  expect((await rig.run(["sync", "w"])).code).toBe(4);
  return opened;
}

/** Returns how many of these documents are still on the service. */
function countRemaining({ rig }: UiRig): number {
  return NAMES.filter((name) => rig.remote(name) !== null).length;
}

describe("a stop", () => {
  test("asks with numbers that agree, lists the changes by folder, and its answer syncs by itself", async () => {
    const rigged = await openHalt();
    const { person } = rigged;
    const shown = await person.until(PAGE, `<button class="danger">Delete ${COUNT} documents</button>`);
    expect(shown).toContain("<h1>Delete 12 documents on the service?</h1>");
    expect([...shown.matchAll(/<details class="card flush" id="([^"]+)"/g)].map(([, id]) => id)).toEqual(["stopped-d"]);
    expect(shown).toContain('<span class="count quiet">12</span>');
    expect(shown).toContain("<h2>12 deletions, 1 other change</h2>");
    expect(shown.indexOf(">d/03.md")).toBeLessThan(shown.indexOf(">d/11.md"));
    await person.post(formIn(shown, "approve")!);
    const after = await person.until(PAGE, 'class="banner good"');
    expect(countRemaining(rigged)).toBe(0);
    expect(after).not.toContain('id="answers"');
  });

  test("names its number before both sides are read, with both answers disabled, and links to troubleshooting", async () => {
    const { person } = await openHalt();
    const shown = await person.see(PAGE);
    expect(shown).toMatch(/<h1>.*12 documents.*<\/h1>/);
    expect(shown).toContain('<a href="/docs/troubleshooting.md#h-delete-budget-remote">');
    expect([...shown.matchAll(/<button class="(danger|main-action)" disabled>/g)].map(([, look]) => look)).toEqual([
      "danger",
      "main-action",
    ]);
    expect([formIn(shown, "approve"), formIn(shown, "reject")]).toEqual([null, null]);
  });

  test("is rejected as the command does, and nothing is stopped then", async () => {
    const rigged = await openHalt();
    const { person } = rigged;
    await person.post(formIn(await person.until(PAGE, '<button class="main-action">Keep them<'), "reject")!);
    const after = await person.until(PAGE, 'class="banner good"');
    expect(after).toContain("<h1>12 documents are restored.</h1>");
    for (const name of NAMES) expect(rigged.rig.read(name)).toBe(`text of ${name}\n`);
    expect(countRemaining(rigged)).toBe(COUNT);
    expect(after).not.toContain('id="answers"');
    expect(after).not.toMatch(/href="\/m\/w\/needs">.*<span class="count/);
  });

  test.each(["approve", "reject"] as const)(
    "has grown since it was shown: %s does nothing, and what is stopped now is shown",
    async (what) => {
      const rigged = await openHalt();
      const { person } = rigged;
      const shown = await person.until(PAGE, "Delete 12 documents</button>");
      rigged.rig.remove("a.md");
      expect((await person.post(formIn(shown, what)!)).status).toBe(303);
      const grown = await person.until(PAGE, "Delete 13 documents</button>");
      expect(toneOf(grown)).toBe("asks");
      expect(grown).toContain("a.md");
      expect(rigged.rig.exists("d")).toBe(false);
      expect(countRemaining(rigged)).toBe(COUNT);
    },
  );
});

describe.skipIf(!hasBrowser)("a stop in a browser (skipped without Chromium)", () => {
  test("is found from the problems to fix, and approved with the keyboard alone", async () => {
    const rigged = await openHalt();
    const page = await openPage(rigged.ui, "/m/w/needs");
    await page.locator("#main a[href$='/safety-stop']").first().press("Enter");
    const yes = page.getByRole("button", { name: "Delete 12 documents" });
    await yes.waitFor();
    await page.locator("#stopped-d > summary").press("Enter");
    await page.getByText("d/03.md").waitFor();
    await shoot(page, "halt-asks");
    await yes.press("Enter");
    await page.locator("#banner.good").waitFor();
    expect(await yes.count()).toBe(0);
    expect(countRemaining(rigged)).toBe(0);
  });
});
