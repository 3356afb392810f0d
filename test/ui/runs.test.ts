import { describe, expect, test } from "vitest";
import { openSignedIn, type SignedIn, toneOf } from "./rig.ts";

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
