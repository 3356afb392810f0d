import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { openRig, useRig } from "./rig.ts";

/** Folders that contain packages and build output beside the documents. */

const rig = useRig();
beforeEach(async () => {
  for (let n = 0; n < 8; n++) rig.write(`node_modules/p${n}/README.md`, `package ${n}\n`);
  rig.write("package.json", "{}\n");
  rig.write("docs/a.md", "a\n");
  rig.write("b.md", "b\n");
  rig.write("dist/made.md", "made\n");
  // A folder `vendor` without a package file beside it is not ignored.
  rig.write("docs/vendor/list.md", "list\n");
});

const given = () => ["init", "w", "--url", rig.url, "--key-file", rig.keyFile];
const config = () => JSON.parse(rig.read(".mdmirror/config.json")) as { gitignore: boolean };
const sent = () =>
  ["b.md", "docs/a.md", "docs/vendor/list.md", "dist/made.md", "node_modules/p0/README.md"].filter(
    (path) => rig.remote(path) !== null,
  );
const OURS = ["b.md", "docs/a.md", "docs/vendor/list.md"];

describe("init in a folder of code", () => {
  test("without a terminal says what would go up, and the options that leave it out", async () => {
    const { code, out, err } = await rig.run(given());
    expect(code).toBe(2);
    expect(out.slice(out.indexOf("  most new documents on the service, of 12 documents:"))).toEqual([
      "  most new documents on the service, of 12 documents:",
      "    node_modules/       8 documents, 80 bytes",
      "    docs/               2 documents, 7 bytes",
      "    this folder itself  1 document, 2 bytes",
      "    dist/               1 document, 5 bytes",
      "  stays local: 1 not Markdown",
      "  these look like packages or build output; options that leave them out:",
      "    --ignore node_modules/  8 documents, 80 bytes",
      "    --ignore /dist/         1 document, 5 bytes",
    ]);
    expect(err.at(-1)).toContain("--ignore node_modules/ --ignore /dist/");
    expect(rig.exists(".mdmirrorignore")).toBe(false);
    const taken = await rig.run([...given(), "--yes", "--ignore", "node_modules/", "--ignore", "/dist/"]);
    expect([taken.code, sent()]).toEqual([0, OURS]);
    expect(rig.read(".mdmirrorignore")).toBe("node_modules/\n/dist/\n");
    expect(taken.out.join("\n")).not.toContain("--ignore");
  });

  test("on a terminal asks, and shows the plan without what was left out", async () => {
    rig.write(".gitignore", "node_modules/\n");
    const { code, out, asked } = await rig.run(given(), { terminal: true, answers: ["", "y"] });
    expect([code, asked.length]).toEqual([0, 2]);
    expect(out).toContain("    --gitignore      8 documents, 80 bytes");
    expect([sent(), config().gitignore, rig.read(".mdmirrorignore")]).toEqual([OURS, true, "/dist/\n"]);
    const why = await rig.run(["why", "w/node_modules/p0/README.md"]);
    expect(why.out.join("\n")).toContain("line 1 of .gitignore");
  });

  test("sends nothing after no, and all of it with --yes, which lists the folders", async () => {
    const no = await rig.run(given(), { terminal: true, answers: ["n", "n"] });
    expect([no.code, no.asked.length, rig.exists(".mdmirror")]).toEqual([2, 2, false]);
    const { code, out } = await rig.run([...given(), "--yes"]);
    expect(out).toContain("    --ignore node_modules/  8 documents, 80 bytes");
    expect([code, sent().length, config().gitignore]).toEqual([0, 5, false]);
  });

  test("adds its lines to an existing .mdmirrorignore, and writes through no symbolic link", async () => {
    rig.write(".mdmirrorignore", "dist/\nnode_modules/");
    expect((await rig.run([...given(), "--yes", "--ignore", "dist/", "--ignore", "drafts/"])).code).toBe(0);
    expect(rig.read(".mdmirrorignore")).toBe("dist/\nnode_modules/\ndrafts/\n");
    const other = await openRig();
    symlinkSync(rig.path("b.md"), join(other.dir, "link"));
    other.write("a.md", "a\n");
    symlinkSync(rig.path("b.md"), join(other.root, ".mdmirrorignore"));
    const { code } = await other.link("w", "--ignore", "x/");
    expect([code, rig.read("b.md")]).toEqual([2, "b\n"]);
    await other.close();
  });

  test("refuses what is no pattern", async () => {
    for (const pattern of ["", "#a", "!a", "a\nb", "a/**/b/**/c/**/d"])
      expect([pattern, (await rig.run([...given(), "--yes", "--ignore", pattern])).code]).toEqual([pattern, 2]);
    expect(rig.exists(".mdmirror")).toBe(false);
  });
});

describe("a folder of code that is mirrored already", () => {
  test("takes the rules by another init; nothing is deleted, and new files stay local", async () => {
    await rig.init();
    rig.write(".gitignore", "node_modules/\n");
    const { code } = await rig.run(["init", "w", "--gitignore", "--ignore", "/dist/"]);
    expect([code, config().gitignore]).toEqual([0, true]);
    rig.write("node_modules/q/README.md", "new\n");
    rig.write("node_modules/p0/README.md", "edited\n");
    expect((await rig.run(["sync", "w"])).code).toBe(0);
    expect([rig.remote("node_modules/q/README.md"), rig.remote("dist/made.md")?.content]).toEqual([null, "made\n"]);
    expect(rig.remote("node_modules/p0/README.md")!.content).toBe("edited\n");
    expect((await rig.run(["verify", "w"])).code).toBe(0);
  });

  test("is never in sync while its rules cannot be read, though nothing is linked yet", async () => {
    symlinkSync("/etc/passwd", rig.path(".gitignore"));
    expect((await rig.run([...given(), "--yes", "--gitignore"])).code).toBe(3);
    const { exit, attention } = await rig.json(["sync", "w"]);
    expect([exit, attention]).toMatchObject([
      3,
      [{ kind: "local-unreadable", detail: expect.stringContaining("ELOOP") }],
    ]);
    expect((await rig.run(["status", "w", "--short"])).out).toEqual(["attention blocked:1"]);
    rig.remove(".gitignore");
    expect([(await rig.run(["sync", "w"])).code, rig.remote("b.md")?.content]).toEqual([0, "b\n"]);
  });
});
