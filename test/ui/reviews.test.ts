import { describe, expect, test } from "vitest";
import { hasBrowser, openPage, shoot } from "./browser.ts";
import { openSignedIn, openUi, toneOf } from "./rig.ts";

test("the reviews of a mirror are listed with why, since when, the lines that would change, and what they stop", async () => {
  const { rig, person } = await openSignedIn({ linked: false });
  rig.createRemotely("d/e-ü.md", "one\n<i>two</i>\n");
  rig.protectRemotely("d/e-ü.md");
  await rig.init();
  const page = () => person.see("/m/w/reviews");
  expect(await page()).not.toMatch(/chg_/);
  rig.write("d/e-ü.md", "one\n<i>three</i>\n");
  await rig.run(["sync", "w"], { terminal: true });
  const text = await page();
  expect(text).toContain("(1) Reviews");
  expect(text).toContain('<a href="/m/w/docs/d/e-%C3%BC.md">');
  expect(text).toMatch(/<code>chg_\w+<\/code>/);
  expect(text).toMatch(/class="line gone".*&lt;.*two.*class="line new".*&lt;.*three/s);
  expect(text).not.toContain("<i>");

  const body = await person.fieldsOf("/m/w/reviews");
  const id = rig.reviews()[0]!;
  rig.service.admin.reviews.accept(id, null);
  expect(await page()).toContain("(1) Reviews");
  const asked = await person.post({ action: "/m/w/reviews", body });
  expect([asked.status, asked.headers["location"]]).toEqual([303, "/m/w/reviews"]);
  await expect.poll(page).not.toContain(id);
});

test("only the first review is open; each has an id of its own", async () => {
  const { rig, person } = await openSignedIn({ linked: false });
  const names = ["a.md", "b.md", "c.md"];
  for (const name of names) rig.createRemotely(name, "one\n");
  for (const name of names) rig.protectRemotely(name);
  await rig.init();
  for (const name of names) rig.write(name, "two\n");
  await rig.run(["sync", "w"], { terminal: true });
  const page = await person.see("/m/w/reviews");
  const folds = [...page.matchAll(/<details class="card flush" id="(r-[^"]+)"( open)?>/g)];
  expect(folds.map(([, , open]) => open !== undefined)).toEqual([true, false, false]);
  const ids = [...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
  expect(ids).toEqual([...new Set(ids)]);
});

test("a rejected change is replaced by the published version, if the file is still the one shown", async () => {
  const { rig, person } = await openSignedIn({ linked: false });
  rig.createRemotely("a.md", "one\n");
  rig.protectRemotely("a.md");
  await rig.init();
  rig.write("a.md", "mine\n");
  await rig.run(["sync", "w"], { terminal: true });
  rig.service.admin.reviews.reject(rig.reviews()[0]!);
  const form = async () => (await person.formWith("conflict", "/m/w/reviews"))!;
  const old = await form();
  rig.write("a.md", "mine, newer\n");
  expect(toneOf(await person.send(old))).toBe("asks");
  expect(rig.read("a.md")).toBe("mine, newer\n");
  expect(toneOf(await person.send(await form()))).toBe("good");
  expect(rig.read("a.md")).toBe("one\n");
});

test("a review because of another edit names the live version, and says if this folder did not send it", async () => {
  const { rig, person } = await openSignedIn({ linked: false });
  rig.createRemotely("a.md", "one\ntwo\n");
  rig.protectRemotely("a.md");
  await rig.init();
  rig.write("a.md", "one\nmine\n");
  await rig.run(["sync", "w"], { terminal: true });
  const id = rig.reviews()[0]!;
  const page = () => person.see("/m/w/reviews");
  expect(await page()).toContain(id);
  rig.service.admin.reviews.reject(id);
  // The API does not report a rejection, so the review stays listed, with the last seen live
  // version.
  rig.editRemotely("a.md", "one\nby its owner\n");
  await rig.run(["sync", "w"], { terminal: true });
  const { out } = await rig.run(["reviews", "w", "--json"]);
  const told = JSON.parse(out[0]!) as { reviews: { changeId: string; path: string }[] };
  const text = await page();
  expect(text).toContain(`(${told.reviews.length}) Reviews`);
  for (const { changeId } of told.reviews) expect(text).toContain(changeId);
});

describe.skipIf(!hasBrowser)("reviews in wait, in a browser (skipped without Chromium)", () => {
  test("are found from what waits, and what was decided is learnt by a button", async () => {
    const { ui, rig } = await openUi({ linked: false });
    const content = "# Plan\n\none\ntwo\nthree\n";
    rig.createRemotely("team/plan.md", content);
    rig.protectRemotely("team/plan.md");
    await rig.init();
    rig.write("team/plan.md", "# Plan\n\none\nzwei\nthree\nfour\n");
    await rig.run(["sync", "w"], { terminal: true });
    const page = await openPage(ui, "/m/w");
    await page.getByRole("link", { name: "Reviews" }).press("Enter");
    await page.locator(".badge.quiet", { hasText: "in review" }).waitFor();
    await page.getByText("1 line removed, 2 lines added").waitFor();
    await shoot(page, "reviews");
    rig.service.admin.reviews.accept(rig.reviews()[0]!, null);
    await page.getByRole("button", { name: "Check now" }).press("Enter");
    await page.locator("#toasts > .good").waitFor();
    await page.locator("#main .empty").waitFor();
    await page.getByRole("link", { name: "Sign out" }).press("Enter");
    await page.getByRole("button", { name: "Sign out" }).waitFor();
    await shoot(page, "sign-out");
    await page.getByRole("button", { name: "Sign out" }).press("Enter");
    await page.getByText("This browser is signed out.").waitFor();
    expect(await page.getByRole("link", { name: "Sign out" }).count()).toBe(0);
  });
});
