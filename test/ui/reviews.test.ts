import { expect, test } from "vitest";
import { formWith, openUi, sendForm, toneOf } from "./rig.ts";

test("the reviews of a mirror are listed with why, since when, the lines that would change, and what they stop", async () => {
  const { ask, enter, formOf, rig, ui } = await openUi({ linked: false });
  rig.createRemotely("d/e-ü.md", "one\n<i>two</i>\n");
  rig.protectRemotely("d/e-ü.md");
  await rig.init();
  const cookie = await enter();
  const page = async () => (await ask("/m/w/reviews", { headers: { cookie } })).text;
  expect(await page()).not.toMatch(/chg_/);
  rig.write("d/e-ü.md", "one\n<i>three</i>\n");
  await rig.run(["sync", "w"], { terminal: true });
  const text = await page();
  expect(text).toContain("(1) Reviews");
  expect(text).toContain('<a href="/m/w/docs/d/e-%C3%BC.md">');
  expect(text).toMatch(/<code>chg_\w+<\/code>/);
  expect(text).toMatch(/class="line gone".*&lt;.*two.*class="line new".*&lt;.*three/s);
  expect(text).not.toContain("<i>");

  const form = await formOf("/m/w/reviews", cookie);
  const id = rig.reviews()[0]!;
  rig.service.admin.reviews.accept(id, null);
  expect(await page()).toContain("(1) Reviews");
  const asked = await ask("/m/w/reviews", { method: "POST", headers: { cookie, origin: ui.url }, body: form });
  expect([asked.status, asked.headers["location"]]).toEqual([303, "/m/w/reviews"]);
  await expect.poll(page).not.toContain(id);
});

test("a rejected change is replaced by the published version, if the file is still the one shown", async () => {
  const rigged = await openUi({ linked: false });
  const { enter, rig } = rigged;
  rig.createRemotely("a.md", "one\n");
  rig.protectRemotely("a.md");
  await rig.init();
  rig.write("a.md", "mine\n");
  await rig.run(["sync", "w"], { terminal: true });
  rig.service.admin.reviews.reject(rig.reviews()[0]!);
  const cookie = await enter();
  const form = async () => (await formWith("conflict", rigged, cookie, "/m/w/reviews"))!;
  const old = await form();
  rig.write("a.md", "mine, newer\n");
  expect(toneOf(await sendForm(rigged, cookie, old))).toBe("asks");
  expect(rig.read("a.md")).toBe("mine, newer\n");
  expect(toneOf(await sendForm(rigged, cookie, await form()))).toBe("good");
  expect(rig.read("a.md")).toBe("one\n");
});

test("a review because of another edit names the live version, and says if this folder did not send it", async () => {
  const { ask, enter, rig } = await openUi({ linked: false });
  rig.createRemotely("a.md", "one\ntwo\n");
  rig.protectRemotely("a.md");
  await rig.init();
  rig.write("a.md", "one\nmine\n");
  await rig.run(["sync", "w"], { terminal: true });
  const id = rig.reviews()[0]!;
  const cookie = await enter();
  const page = async () => (await ask("/m/w/reviews", { headers: { cookie } })).text;
  expect(await page()).toContain(id);
  rig.service.admin.reviews.reject(id);
  // A rejection cannot be seen: the review stays listed, with the live text that was seen last.
  rig.editRemotely("a.md", "one\nby its owner\n");
  await rig.run(["sync", "w"], { terminal: true });
  const { out } = await rig.run(["reviews", "w", "--json"]);
  const told = JSON.parse(out[0]!) as { reviews: { changeId: string; path: string }[] };
  const text = await page();
  expect(text).toContain(`(${told.reviews.length}) Reviews`);
  for (const { changeId } of told.reviews) expect(text).toContain(changeId);
});
