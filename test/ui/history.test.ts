import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { describe, expect, test } from "vitest";
import { digestOf } from "../../src/contract/digest.ts";
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

  test("of a version whose previous content is no longer stored has no changes, and does not call it the first", async () => {
    const { rig, person } = await withHistory();
    expect(await person.see("/m/w/history/a.md?n=1")).toContain('data-changes="first"');
    const contents = new Sqlite(join(rig.root, ".mdmirror", "texts.db"));
    contents.prepare("DELETE FROM texts WHERE digest = ?").run(Buffer.from(digestOf("# a\n\ntwo\n"), "hex"));
    contents.close();
    expect(await person.see("/m/w/history/a.md?n=3")).toContain('data-changes="not-stored"');
  });

  test("counts the changed lines since the version before, also after the clock was set back", async () => {
    const { rig, person } = await openSignedIn();
    for (const text of ["one\n", "one\ntwo\n", "one\ntwo\nthree\nfour\n"]) {
      rig.write("a.md", text);
      await rig.run(["sync", "w"]);
    }
    const state = new Sqlite(join(rig.root, ".mdmirror", "state.db"));
    state.exec("UPDATE versions SET at = at - seq * 3600000");
    state.close();
    const page = await person.see("/m/w/history/a.md");
    const counts = [...page.matchAll(/id="v-(\d)".*?<ins>(\+\d)<\/ins> <del>(−\d)<\/del>/gs)];
    expect(counts.map(([, n, added, removed]) => `${n} ${added} ${removed}`).toSorted()).toEqual([
      "1 +1 −0",
      "2 +1 −0",
      "3 +2 −0",
    ]);
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

/** Makes three runs: they create `a.md` and `b.md`, edit `a.md`, and delete `b.md`. */
async function withRuns(): Promise<SignedIn> {
  const opened = await openSignedIn();
  const { rig } = opened;
  rig.write("a.md", "# a\n\none\n");
  rig.write("b.md", "# b\n\nsecret words of b\n");
  await rig.run(["sync", "w"]);
  rig.write("a.md", "# a\n\ntwo\n");
  await rig.run(["sync", "w"]);
  rig.remove("b.md");
  await rig.run(["sync", "w"]);
  return opened;
}

/** Returns the number of the newest run whose entry contains `words`. */
async function runThat({ person }: SignedIn, words: string): Promise<number> {
  const text = await person.see("/m/w/runs");
  const row = [...text.matchAll(/<li id="run-(\d+)">(.*?)<\/li>/gs)].find(([, , inner]) => inner!.includes(words));
  return Number(row![1]);
}

describe("runs", () => {
  test("are listed with what each did, and each has a page with its lines", async () => {
    const opened = await withRuns();
    const { person } = opened;
    const text = await person.see("/m/w/runs");
    for (const words of ["2 created on the service", "Uploaded <a", "Deleted <a"])
      expect([words, text.includes(words)]).toEqual([words, true]);
    const run = await runThat(opened, "Uploaded <a");
    const one = await person.get(`/m/w/runs/${run}`);
    expect([one.text.includes("a.md"), one.text.includes("restore the content")]).toEqual([true, true]);
    for (const none of ["0", "9999", "x", "1e3"]) expect((await person.get(`/m/w/runs/${none}`)).status).toBe(404);
  });

  test("have a page with one line for a rename, and the undo before the lines", async () => {
    const opened = await withRuns();
    const { person, rig } = opened;
    rig.rename("a.md", "renamed.md");
    await rig.run(["sync", "w"]);
    const page = await person.see(`/m/w/runs/${await runThat(opened, "Renamed <a")}`);
    const lines = [...page.matchAll(/<span class="sign"[^>]*>.<\/span> (\w+)/g)].map(([, verb]) => verb);
    expect(lines).toEqual(["Renamed"]);
    expect(page.indexOf('/undo"')).toBeLessThan(page.indexOf('class="sign"'));
    expect(page).toMatch(/<details class="card flush" id="undo"><summary>What undo changes \(1\)/);
  });

  test("are taken back as their plan says, and the service gets it", async () => {
    const opened = await withRuns();
    const { person, rig } = opened;
    const run = await runThat(opened, "Deleted <a");
    const form = (await person.formWith("undo", `/m/w/runs/${run}`))!;
    const text = await person.send(form);
    expect(toneOf(text)).toBe("good");
    expect(rig.read("b.md")).toContain("secret words");
    expect(rig.remote("b.md")?.content).toContain("secret words");
  });

  test("are left alone where the plan is another one than the page showed", async () => {
    const opened = await withRuns();
    const { person, rig } = opened;
    const run = await runThat(opened, "Uploaded <a");
    const form = (await person.formWith("undo", `/m/w/runs/${run}`))!;
    rig.write("a.md", "# a\n\nthree\n");
    await rig.run(["sync", "w"]);
    const text = await person.send(form);
    expect(toneOf(text)).toBe("asks");
    expect(rig.read("a.md")).toBe("# a\n\nthree\n");
    expect(await person.formWith("undo", `/m/w/runs/${run}`)).toBeNull();
  });
});

describe("the log", () => {
  test("has the newest run first, opens to what each did, and never shows content", async () => {
    const { person, rig } = await withRuns();
    for (let n = 0; n < 30; n++) rig.write(`n/note-${n}.md`, `# ${n}\n`);
    await rig.run(["sync", "w"]);
    const text = await person.see("/m/w/runs");
    const rows = [...text.matchAll(/<li id="run-(\d+)">/g)].map(([, run]) => Number(run));
    expect(rows).toEqual(rows.toSorted((a, b) => b - a));
    expect(text).toMatch(/<summary>Sync at \d\d:\d\d: 30 created on the service/);
    expect(text).toMatch(/… and \d+ more/);
    // A run with a single change has no summary.
    expect(text).toMatch(/Deleted <a href="[^"]+"><bdi class="name">b\.md/);
    expect(text).not.toContain("secret words");
  });
});
