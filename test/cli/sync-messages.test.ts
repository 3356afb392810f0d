import { existsSync, mkdirSync, unlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { attentionLines } from "../../src/cli/show-attention.ts";
import type { BlockReason } from "../../src/mirror/model/block.ts";
import { useRig } from "./rig.ts";

/** What commands say: the cause first, paths and never ids, words and never codes of the system. */

const rig = useRig();

const upload = (path: string, content = `${path}\n`) => rig.createRemotely(path, content);

const attention = (path: string, detail: string, kind: BlockReason = "review-unknown") => {
  return { path, kind, code: null, detail, requestId: null, waits: false };
};

test("a user's file that was renamed for a conflict copy is reported, with its place", async () => {
  upload("q.md", "base\n");
  await rig.init();
  rig.write("q (theirs).md", "my own\n");
  rig.write("q.md", "edited locally\n");
  rig.editRemotely("q.md", "edited there\n");
  rig.pass(60_000);
  const { code, err } = await rig.run(["sync", "w"]);
  const [line] = err.filter((one) => one.includes("was renamed"));
  const place = /^q \(theirs\)\.md: your file was renamed to (\.mdmirror\/trash\/.*), because .*$/.exec(line!)![1]!;
  expect([code, rig.read(place), rig.read("q (theirs).md")]).toEqual([3, "my own\n", "edited there\n"]);
});

describe("what needs the user", () => {
  test("is reported by its cause, once, with some of the names; single documents follow, sorted", () => {
    const many = Array.from({ length: 40 }, (_, n) => attention(`d/${String(39 - n).padStart(2, "0")}.md`, "no list"));
    const lines = attentionLines(
      [attention("z.md", "b", "conflict"), ...many, { ...attention("a.md", "a", "refused"), refused: "step" }],
      20,
    );
    expect(lines).toEqual([
      "40 documents: review-unknown: no list",
      "  d/00.md, d/01.md, d/02.md, d/03.md, d/04.md and 35 more",
      "  next: read the document on the service, then run: mdmirror resolve PATH --mine | --theirs",
      "a.md: refused: a",
      "  next: run: mdmirror why a.md",
      "z.md: conflict: b",
      '  next: edit the file as you want it and delete the "(theirs)" file, or run: mdmirror resolve z.md --mine | --theirs',
    ]);
  });

  test("is the ignore file's fault, said once for all that it keeps from being seen", async () => {
    for (let n = 0; n < 6; n++) upload(`n${n}.md`);
    await rig.init();
    rig.write(".mdmirrorignore", "a/**/b/**/c/**/d\n");
    const { code, err } = await rig.run(["sync", "w"]);
    expect([code, err[0], err.length]).toEqual([
      3,
      '6 documents: local-unreadable: line 1 of .mdmirrorignore has more than 2 "**" between its names',
      3,
    ]);
  });

  test("of a conflict says what it is about", async () => {
    upload("k.md", "one\n");
    await rig.init();
    rig.write("k.md", "mine\n");
    rig.editRemotely("k.md", "theirs\n");
    await rig.run(["sync", "w"]);
    const told = "k.md: conflict: the local version and the version on the service do not merge";
    expect((await rig.run(["sync", "w"])).err[0]).toBe(told);
    expect((await rig.run(["status", "w"])).out).toContain(told);
  });
});

describe("a service that does not answer as it should", () => {
  test("is named by status as that run asked it: at an address that was given for it alone", async () => {
    await rig.init();
    const nobody = "http://127.0.0.1:1";
    const { code, err } = await rig.run(["sync", "w", "--url", nobody]);
    const { out } = await rig.run(["status", "w"]);
    expect([code, err[0], out]).toEqual([
      5,
      expect.stringContaining(nobody),
      expect.arrayContaining([err[0]!.slice(10)]),
    ]);
    expect(out.join("\n")).not.toContain(`(${rig.url})`);
    await rig.stopService();
    await rig.run(["sync", "w"]);
    expect((await rig.run(["status", "w"])).out.join("\n")).toContain(`(${rig.url})`);
  });

  test("is the first thing said, in words, before what follows from it", async () => {
    const names = Array.from({ length: 8 }, (_, n) => `n${n}.md`);
    for (const name of names) upload(name);
    await rig.init();
    const cutting = createServer((socket) => socket.once("data", () => socket.destroy()));
    await new Promise<void>((resolve) => cutting.listen(0, "127.0.0.1", resolve));
    const { port } = cutting.address() as { readonly port: number };
    for (const name of names) rig.write(name, "edited\n");
    const cut = await rig.run(["sync", "w", "--url", `http://127.0.0.1:${port}`]);
    await new Promise((resolve) => cutting.close(resolve));
    expect([cut.code, cut.err[0]]).toEqual([5, expect.stringMatching(/^mdmirror: .*: the connection was cut$/)]);
    await rig.stopService();
    const refused = await rig.run(["sync", "w"]);
    expect([refused.code, refused.err[0]]).toEqual([5, expect.stringContaining("nothing listens at this address")]);
    expect(rig.printed.join("\n")).not.toMatch(/UND_ERR|ECONN/);
  });
});

describe("plan", () => {
  test("names documents by their paths, and sorts them", async () => {
    for (const name of ["c.md", "a.md", "b.md"]) upload(name);
    await rig.init();
    for (const name of ["c.md", "a.md", "b.md"]) rig.protectRemotely(name);
    const { out } = await rig.run(["plan", "w"]);
    expect(out.slice(0, 4)).toEqual([
      "  · update the record: 3",
      expect.stringMatching(/^ {4}a\.md/),
      expect.stringMatching(/^ {4}b\.md/),
      expect.stringMatching(/^ {4}c\.md/),
    ]);
    expect(out.join("\n")).not.toMatch(/doc_|dir_/);
  });

  test("of a run that would stop does not say that a sync does it", async () => {
    const names = Array.from({ length: 13 }, (_, n) => `n${n}.md`);
    for (const name of [...names, "stays.md"]) upload(name);
    await rig.init();
    for (const name of names) unlinkSync(join(rig.root, name));
    rig.write("new.md", "new\n");
    const { code, out } = await rig.run(["plan", "w"]);
    expect([code, out.at(-1)]).toEqual([
      4,
      "14 steps, 13 of them need your approval; nothing was written; mdmirror sync changes nothing before you approve",
    ]);
  });
});

test("content that was downloaded over other content is no interrupted step", async () => {
  upload("a.md", "one\n");
  await rig.init();
  rig.editRemotely("a.md", "two\n");
  expect((await rig.run(["sync", "w"])).code).toBe(0);
  for (const command of ["why", "plan"]) {
    const { out } = await rig.run([command, command === "why" ? "w/a.md" : "w"]);
    expect(out.join("\n")).not.toContain("cut off");
  }
});

test("sync says that a daemon is at it only where one listens", async () => {
  upload("a.md");
  await rig.init();
  mkdirSync(join(rig.dir, "run"), { mode: 0o700 });
  const place = { socket: join(rig.dir, "run/gone.sock"), pid: 1, since: 1 };
  writeFileSync(join(rig.root, ".mdmirror/daemon.json"), JSON.stringify(place), { mode: 0o600 });
  expect((await rig.run(["sync", "w"], { terminal: true })).code).toBe(0);
  expect(rig.printed.filter((text) => text.includes("daemon"))).toEqual([]);
});

test("undo takes a folder, a run, or both", async () => {
  upload("a.md", "one\n");
  await rig.init();
  rig.write("a.md", "two\n");
  await rig.run(["sync", "w"]);
  const { out } = await rig.run(["undo", "w", "--dry-run"]);
  expect(out.join("\n")).toContain("a.md");
  const [run] = /\d+/.exec(out[0]!)!;
  expect((await rig.run(["undo", "w", run, "--dry-run"])).out).toEqual(out);
  expect((await rig.run(["undo", run, "--dry-run"], { cwd: rig.root })).out).toEqual(out);
  expect((await rig.run(["undo", "w", "--yes"])).code).toBe(0);
  expect(rig.read("a.md")).toBe("one\n");
  const two = await rig.run(["undo", "w", "x"]);
  expect([two.code, two.err[0]]).toEqual([2, expect.stringContaining("takes one folder and one RUN")]);
  expect(existsSync(join(rig.dir, "x"))).toBe(false);
});
