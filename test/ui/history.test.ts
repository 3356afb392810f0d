import { describe, expect, test } from "vitest";
import { openSignedIn, type SignedIn, toneOf } from "./rig.ts";

/** Makes three versions of `a.md`, the second one on the service. */
async function withHistory(): Promise<SignedIn> {
  const opened = await openSignedIn();
  const { rig } = opened;
  rig.write("a.md", "# a\n\none\n");
  await rig.run(["sync", "w"]);
  rig.editRemotely("a.md", "# a\n\ntwo\n");
  await rig.run(["sync", "w"]);
  rig.write("a.md", "# a\n\nthree\n");
  await rig.run(["sync", "w"]);
  return opened;
}

describe("the history of a document", () => {
  test("has each version with its path, its earlier name, and its end", async () => {
    const { rig, person } = await withHistory();
    rig.rename("a.md", "b & c.md");
    await rig.run(["sync", "w"]);
    expect([...(await person.see("/m/w/history/")).matchAll(/<li id="h-([^"]+)"/g)].map(([, id]) => id)).toEqual([
      "b &amp; c.md",
    ]);
    const page = await person.get("/m/w/history/b%20%26%20c.md");
    expect(page.status).toBe(200);
    for (const words of ["Version 1", "Version 2", "Version 3", "current", "renamed", "b &amp; c.md"])
      expect([words, page.text.includes(words)]).toEqual([words, true]);
    expect(await person.see("/m/w/history/?of=a.md")).toContain("b &amp; c.md");
    rig.remove("b & c.md");
    await rig.run(["sync", "w"]);
    const gone = await person.get("/m/w/history/b%20%26%20c.md");
    expect([gone.text.includes("gone"), gone.text.includes("deleted")]).toEqual([true, true]);
    const recent = await person.get("/m/w/history/");
    expect(recent.text).toContain("b &amp; c.md");
  });

  test("says of a merge what it was made of", async () => {
    const { rig, person } = await openSignedIn();
    rig.write("a.md", "# a\n\none\n\ntwo\n\nthree\n");
    await rig.run(["sync", "w"]);
    rig.editRemotely("a.md", "# a\n\none\n\ntwo\n\ntheirs\n");
    rig.write("a.md", "# a\n\nmine\n\ntwo\n\nthree\n");
    await rig.run(["sync", "w"]);
    const { text } = await person.get("/m/w/history/a.md");
    const n = /Version (\d)<\/a>(?:(?!<\/li>).)*Merged: .*\(version \d\)/s.exec(text)![1];
    const version = await person.get(`/m/w/history/a.md?n=${n}`);
    expect(version.text).toMatch(/"no new">mine<\/td><td class="line new"><span dir="auto">mine/);
    expect(version.text).toMatch(/"no new">theirs<\/td><td class="line new"><span dir="auto">theirs/);
  });

  test("compares any two versions, and one with the file", async () => {
    const { person } = await withHistory();
    const two = await person.get("/m/w/diff/a.md?from=1&to=2");
    expect(two.text).toContain("one");
    expect(two.text).toContain("two");
    expect(two.text).not.toContain("three");
    const now = await person.get("/m/w/diff/a.md?from=2&to=here");
    expect(now.text).toMatch(/class="line gone"[^>]*>.*?two/s);
    expect(now.text).toMatch(/class="line new"[^>]*>.*?three/s);
    expect(await person.see("/m/w/diff/a.md?from=3&to=here")).toContain("Both versions are equal");
  });
});

test("the first sync is one row of the history, and documents that changed since have their own", async () => {
  const { rig, person } = await openSignedIn({ linked: false });
  for (const name of ["a.md", "b.md", "c.md"]) rig.write(name, "one\n");
  await rig.init();
  rig.write("b.md", "two\n");
  await rig.run(["sync", "w"]);
  const page = await person.see("/m/w/history/");
  expect([...page.matchAll(/<li id="h-([^"]+)"/g)].map(([, id]) => id)).toEqual(["b.md", "run-1"]);
  expect(page).toContain("2 documents without a later change");
});

describe("a restore", () => {
  test("restores an older version, which the service gets", async () => {
    const { rig, person } = await withHistory();
    const form = (await person.formWith("restore", "/m/w/history/a.md?n=1"))!;
    expect(toneOf(await person.send(form))).toBe("good");
    expect(rig.read("a.md")).toBe("# a\n\none\n");
    await expect.poll(() => rig.remote("a.md")?.content).toBe("# a\n\none\n");
  });

  test("writes nothing where the file was changed since the page was shown", async () => {
    const { rig, person } = await withHistory();
    const form = (await person.formWith("restore", "/m/w/history/a.md?n=1"))!;
    rig.write("a.md", "# a\n\nwritten meanwhile\n");
    expect(toneOf(await person.send(form))).toBe("asks");
    expect(rig.read("a.md")).toBe("# a\n\nwritten meanwhile\n");
    rig.remove("a.md");
    expect(toneOf(await person.send(form))).toBe("asks");
  });

  test("brings a document back that is gone, as a new one", async () => {
    const { rig, person } = await withHistory();
    rig.remove("a.md");
    await rig.run(["sync", "w"]);
    expect(rig.remote("a.md")).toBeNull();
    const form = (await person.formWith("restore", "/m/w/history/a.md?n=2"))!;
    expect(await person.send(form)).toContain("new document");
    expect(rig.read("a.md")).toBe("# a\n\ntwo\n");
    await expect.poll(() => rig.remote("a.md")?.content).toBe("# a\n\ntwo\n");
  });

  test("is not offered of the present version, nor of a document in conflict", async () => {
    const { rig, person } = await withHistory();
    expect(await person.formWith("restore", "/m/w/history/a.md?n=3")).toBeNull();
    rig.editRemotely("a.md", "# a\n\ntheirs\n");
    rig.write("a.md", "# a\n\nmine\n");
    await rig.run(["sync", "w"]);
    expect(await person.formWith("restore", "/m/w/history/a.md?n=1")).toBeNull();
    const { text } = await person.get("/m/w/history/a.md?n=1");
    expect(text).toContain("is in conflict");
  });
});
