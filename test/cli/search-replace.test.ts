import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { systemRandom } from "../../src/app/mirror/random.ts";
import { withMirror } from "../../src/app/mirror/with-mirror.ts";
import { openRig, type Rig, snapshot } from "./rig.ts";

let rig: Rig;
beforeEach(async () => {
  rig = await openRig();
  rig.api("POST", "/v1/files", { path: "a.md", content: "# Flour\n\nflour, and flour\n\nmilk\n" });
  rig.api("POST", "/v1/files", { path: "d/b.md", content: "one kg of flour\n" });
  rig.api("POST", "/v1/files", { path: "k.md", content: "milk\n" });
  await rig.init();
});
afterEach(() => rig.close());

const run = (...argv: string[]) => rig.run(argv, { cwd: rig.root });
const replace = (...argv: string[]) => run("search", ...argv);

describe("search --replace", () => {
  test("shows a patch and counts, and writes nothing (I23), without key and network", async () => {
    await rig.stopService();
    const before = snapshot(rig.root);
    const { code, out, err } = await replace("flour", "--replace", "oats");
    expect([code, out]).toEqual([
      0,
      [
        "--- here/a.md",
        "+++ replaced/a.md",
        "@@ -1,5 +1,5 @@",
        " # Flour",
        " ",
        "-flour, and flour",
        "+oats, and oats",
        " ",
        " milk",
        "--- here/d/b.md",
        "+++ replaced/d/b.md",
        "@@ -1 +1 @@",
        "-one kg of flour",
        "+one kg of oats",
      ],
    ]);
    expect(err[0]).toBe("mdmirror: 3 places in 2 documents to be replaced, 0 left alone; nothing was written");
    const json = JSON.parse((await replace("flour", "--replace", "oats", "--json")).out[0]!) as object;
    expect(json).toMatchObject({ run: null, items: [{ path: "a.md", hits: 2, end: "planned" }, { path: "d/b.md" }] });
    expect(snapshot(rig.root)).toEqual(before);
  });

  test("the patch is one that patch applies", async () => {
    rig.write("a.md", "flour\r\nno end: flour");
    const { out } = await replace("flour", "--replace", "oats");
    const dir = join(rig.dir, "patched");
    execFileSync("cp", ["-r", rig.root, dir]);
    execFileSync("patch", ["-p1", "--binary", "-s", "-d", dir], { input: `${out.join("\n")}\n` });
    expect(readFileSync(join(dir, "a.md"), "utf8")).toBe("oats\r\nno end: oats");
  });

  test("--apply changes them as one run, sends it, and one undo takes it back", async () => {
    const ids = ["a.md", "d/b.md"].map((path) => rig.remote(path)!.id);
    const { code, out } = await replace("flour", "--replace", "oats", "--apply");
    expect([code, out[0], out]).toEqual([
      0,
      "3 places in 2 documents replaced:",
      expect.arrayContaining(["2 changed"]),
    ]);
    expect([rig.read("a.md"), rig.remote("d/b.md")!.content]).toEqual([
      "# Flour\n\noats, and oats\n\nmilk\n",
      "one kg of oats\n",
    ]);
    expect(["a.md", "d/b.md"].map((path) => rig.remote(path)!.id)).toEqual(ids);
    const number = /mdmirror undo (\d+)$/.exec(
      out
        .join("\n")
        .split("\n  ")
        .find((one) => one.startsWith("run "))!
        .split("\n")[0]!,
    )![1]!;
    expect((await run("undo", number, "--yes")).code).toBe(0);
    expect([rig.remote("a.md")!.content, rig.read("d/b.md")]).toEqual([
      "# Flour\n\nflour, and flour\n\nmilk\n",
      "one kg of flour\n",
    ]);
    const { versions } = JSON.parse((await run("history", "a.md", "--json")).out[0]!) as { versions: object[] };
    expect(versions.length).toBeGreaterThan(1);
  });

  test("--no-sync leaves the sending to the next sync; the undo takes back what was not sent", async () => {
    await rig.stopService();
    expect((await replace("flour", "--replace", "oats", "--apply", "--no-sync")).code).toBe(0);
    expect(rig.read("d/b.md")).toBe("one kg of oats\n");
    expect((await run("undo", "--yes", "--no-sync")).code).toBe(0);
    expect(rig.read("d/b.md")).toBe("one kg of flour\n");
  });

  test("--regex with groups by number and by name, per line; an empty TEXT deletes", async () => {
    await replace(
      "(\\w+) kg of (?P<what>\\w+)",
      "--regex",
      "--replace",
      "$what: $[1] kg, $$1".replace("[1]", "{1}"),
      "--apply",
    );
    expect(rig.read("d/b.md")).toBe("flour: one kg, $1\n");
    await replace("^(# )?[Ff]lour.*$", "--regex", "--replace", "", "--apply");
    expect(rig.read("a.md")).toBe("\n\n\n\nmilk\n");
    for (const wrong of ["$2", "$nobody", "$1$7"]) {
      const { code, err } = await replace("(m)ilk", "--regex", "--replace", wrong, "--apply");
      expect([code, err[0]]).toEqual([2, expect.stringContaining("the pattern has no group")]);
    }
    expect((await replace("(", "--regex", "--replace", "x")).code).toBe(2);
    expect(rig.read("k.md")).toBe("milk\n");
  });

  test("line ends, byte order mark and a last line without an end stay as they are (I25)", async () => {
    const texts = [
      "\ufeffflour\r\nb\r\n",
      "a\nflour\r\nmixed",
      "flour",
      "\ufeffflour",
      "flour\rold\r",
      "a 😀 flour 😀\n",
    ];
    for (const [n, text] of texts.entries()) rig.write(`t${n}.md`, text);
    await run("sync");
    await replace("^flour", "--regex", "--replace", "oats", "--apply");
    await replace("flour", "--replace", "oats", "--apply");
    for (const [n, text] of texts.entries()) expect(rig.read(`t${n}.md`)).toBe(text.replaceAll("flour", "oats"));
    await replace("oats", "--replace", "two\nlines", "--apply", "--in", "t0.md", "--in", "t2.md");
    expect([rig.read("t0.md"), rig.read("t2.md")]).toEqual(["\ufefftwo\r\nlines\r\nb\r\n", "two\nlines"]);
    expect(rig.read("t1.md")).toBe("a\noats\r\nmixed");
  });

  test("conflicts, ignored files, files that an editor has open and those that were never sent stay", async () => {
    for (const [name, text] of [
      ["d/b.md", "mine flour\n"],
      ["ignored.md", "flour\n"],
      [".mdmirrorignore", "ignored.md\n"],
    ])
      rig.write(name!, text!);
    const { id, lastChangeId } = rig.remote("d/b.md")!;
    rig.api("PUT", `/v1/files/${id}/content`, { baseChangeId: lastChangeId, content: "theirs flour\n" });
    rig.write("k.md", "flour\n");
    await run("sync");
    rig.write("new.md", "flour\n");
    writeFileSync(join(rig.root, ".#a.md"), `user@host.${process.pid}:1`);
    rig.pass(0);
    const { code, out, err } = await replace("flour", "--replace", "oats", "--apply", "--no-sync");
    expect([code, out[0]]).toEqual([3, "1 place in 1 document replaced:"]);
    expect(err.toSorted()).toEqual([
      expect.stringMatching(/^a\.md: left alone: it is open in Emacs/),
      "d/b.md: left alone: it is in conflict",
      "new.md: left alone: it is not on the service yet: mdmirror sync first",
    ]);
    expect(["ignored.md", "new.md", "d/b.md", "d/b (theirs).md"].map((path) => rig.read(path))).toEqual([
      "flour\n",
      "flour\n",
      "mine flour\n",
      "theirs flour\n",
    ]);
    expect([rig.read("k.md"), existsSync(join(rig.root, "a.md"))]).toEqual(["oats\n", true]);
  });

  test("a protected document is changed, and its change goes to review", async () => {
    rig.api("PATCH", `/v1/files/${rig.remote("k.md")!.id}`, { protected: true });
    await run("sync");
    expect((await replace("milk", "--replace", "oats", "--in", "k.md")).err[1]).toContain("1 document of these");
    await rig.run(["search", "milk", "--replace", "oats", "--in", "k.md", "--apply"], {
      cwd: rig.root,
      terminal: true,
    });
    expect([rig.read("k.md"), rig.remote("k.md")!.content]).toEqual(["oats\n", "milk\n"]);
  });

  test("links are found and replaced as the files have them, byte for byte, and by id on the service", async () => {
    expect((await run("links", "translate", "--yes")).code).toBe(0);
    rig.write("k.md", "[see](d/b.md)\n");
    await run("sync");
    expect((await replace("(d/b.md)", "--replace", "(a.md)", "--apply")).code).toBe(0);
    expect([rig.read("k.md"), rig.remote("k.md")!.content]).toEqual([
      "[see](a.md)\n",
      `[see](${rig.remote("a.md")!.id})\n`,
    ]);
    expect((await replace("(a.md)", "--replace", "(./a.md)", "--apply")).code).toBe(0);
    expect([rig.read("k.md"), rig.remote("k.md")!.content]).toEqual([
      "[see](./a.md)\n",
      `[see](${rig.remote("a.md")!.id})\n`,
    ]);
    expect((await run("undo", "--yes")).code).toBe(0);
    expect(rig.remote("k.md")!.content).toBe(`[see](${rig.remote("d/b.md")!.id})\n`);
  });

  test("what was edited between the plan and the write is left", async () => {
    const { planReplace, replaceMany } = await import("../../src/app/by-hand/replace.ts");
    const env = { XDG_STATE_HOME: rig.stateHome };
    const opening = {
      mode: "write",
      what: "test",
      env,
      cwd: rig.root,
      clock: rig.clock,
      random: systemRandom(),
    } as const;
    const request = { query: "flour", regex: false, replacement: "oats", within: [] };
    const ended = await withMirror(rig.root, opening, async ({ world }) => {
      const planned = await planReplace({ state: world.state, root: rig.root, random: world.random }, request, 0);
      if (planned.kind === "trouble") return planned;
      rig.write("a.md", "edited meanwhile, flour\n");
      return { kind: "ok", value: await replaceMany(world, planned.value, 0) };
    });
    expect(ended).toMatchObject({
      value: { ends: [{ path: "a.md", end: "failed", why: "the text is another one now" }, { end: "done" }] },
    });
    expect([rig.read("a.md"), rig.read("d/b.md")]).toEqual(["edited meanwhile, flour\n", "one kg of oats\n"]);
  });

  test("nothing found is exit 0; options that do not go together are refused", async () => {
    expect(await replace("nowhere", "--replace", "x")).toMatchObject({ code: 0, err: ["mdmirror: nothing found"] });
    expect((await replace("milk", "--replace", "milk", "--apply")).err).toEqual(["mdmirror: nothing found"]);
    for (const argv of [
      ["--apply"],
      ["--in", "k.md"],
      ["--replace", "x", "--limit", "2"],
      ["--replace", "x", "--in", "z*"],
    ])
      expect([argv, (await replace("milk", ...argv)).code]).toEqual([argv, 2]);
    expect((await replace("two\nlines", "--replace", "x")).code).toBe(2);
  });
});
