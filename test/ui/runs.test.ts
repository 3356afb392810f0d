import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { formWith, openUi, sendForm, toneOf, type UiRig } from "./rig.ts";

type Signed = UiRig & { readonly cookie: string };

/** Three runs: `a.md` and `b.md` new, `a.md` edited, `b.md` deleted. */
async function withRuns(): Promise<Signed> {
  const opened = await openUi();
  const { rig, enter } = opened;
  rig.write("a.md", "# a\n\none\n");
  rig.write("b.md", "# b\n\nsecret words of b\n");
  await rig.run(["sync", "w"]);
  rig.write("a.md", "# a\n\ntwo\n");
  await rig.run(["sync", "w"]);
  rmSync(join(rig.root, "b.md"));
  await rig.run(["sync", "w"]);
  return { ...opened, cookie: await enter() };
}

const undoForm = (opened: Signed, page: string) => formWith("undo", opened, opened.cookie, page);

/** The number of the newest run that says `words`. */
async function runThat({ ask, cookie }: Signed, words: string): Promise<number> {
  const { text } = await ask("/m/w/runs", { headers: { cookie } });
  const row = [...text.matchAll(/<li id="run-(\d+)">(.*?)<\/li>/gs)].find(([, , inner]) => inner!.includes(words));
  return Number(row![1]);
}

describe("runs", () => {
  test("are listed with what each did, and each has its lines", async () => {
    const opened = await withRuns();
    const { ask, cookie } = opened;
    const { text } = await ask("/m/w/runs", { headers: { cookie } });
    for (const words of ["2 created on the service", "1 uploaded", "1 deleted on the service"])
      expect([words, text.includes(words)]).toEqual([words, true]);
    const run = await runThat(opened, "1 uploaded");
    const one = await ask(`/m/w/runs/${run}`, { headers: { cookie } });
    expect([one.text.includes("a.md"), one.text.includes("restore the content")]).toEqual([true, true]);
    for (const none of ["0", "9999", "x", "1e3"])
      expect((await ask(`/m/w/runs/${none}`, { headers: { cookie } })).status).toBe(404);
  });

  test("are taken back as their plan says, and the service gets it", async () => {
    const opened = await withRuns();
    const { rig } = opened;
    const run = await runThat(opened, "1 deleted on the service");
    const form = (await undoForm(opened, `/m/w/runs/${run}`))!;
    const text = await sendForm(opened, opened.cookie, form);
    expect(toneOf(text)).toBe("good");
    expect(rig.read("b.md")).toContain("secret words");
    expect(rig.remote("b.md")?.content).toContain("secret words");
  });

  test("are left alone where the plan is another one than the page showed", async () => {
    const opened = await withRuns();
    const { rig } = opened;
    const run = await runThat(opened, "1 uploaded");
    const form = (await undoForm(opened, `/m/w/runs/${run}`))!;
    rig.write("a.md", "# a\n\nthree\n");
    await rig.run(["sync", "w"]);
    const text = await sendForm(opened, opened.cookie, form);
    expect(toneOf(text)).toBe("asks");
    expect(rig.read("a.md")).toBe("# a\n\nthree\n");
    expect(await undoForm(opened, `/m/w/runs/${run}`)).toBeNull();
  });
});

describe("the log", () => {
  test("has the newest lines first, in pages, and never content", async () => {
    const opened = await withRuns();
    const { ask, cookie, rig } = opened;
    for (let n = 0; n < 120; n++) rig.write(`n/note-${n}.md`, `# ${n}\n`);
    await rig.run(["sync", "w"]);
    const { text } = await ask("/m/w/log", { headers: { cookie } });
    const times = [...text.matchAll(/<time datetime="([^"]+)"/g)].map((match) => match[1]!);
    expect(times.length).toBe(100);
    expect(times).toEqual(times.toSorted().toReversed());
    expect(text).toMatch(/Page 1 of \d/);
    const older = await ask("/m/w/log?page=2", { headers: { cookie } });
    expect(older.text).toMatch(/Deleted <a href="[^"]+"><bdi class="name">b\.md/);
    expect(text + older.text).not.toContain("secret words");
  });
});
