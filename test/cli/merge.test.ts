import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { temporaryFolder } from "../temporary-folder.ts";
import { useRigOfFile } from "./rig.ts";
import { spawnSync } from "node:child_process";
import { ENTRY, keptCompiled } from "../program.ts";

describe("merge", () => {
  const rig = useRigOfFile();
  let folder: string;
  beforeEach(() => {
    folder = temporaryFolder();
  });

  const files = (base: string, mine: string, theirs: string): string[] =>
    Object.entries({ base, mine, theirs }).map(([name, text]) => {
      writeFileSync(join(folder, name), text);
      return join(folder, name);
    });

  it("prints a clean merge and writes nothing with -p", async () => {
    const paths = files("- a\n", "- a\n- mine\n", "- a\n- other\n");
    expect(await rig.run(["merge", ...paths, "-p"])).toMatchObject({ code: 0, out: ["- a\n- other\n- mine"] });
    expect(readFileSync(join(folder, "mine"), "utf8")).toBe("- a\n- mine\n");
  });

  it("ends with 3 and marks a conflict, also one that no line conflicts with", async () => {
    expect((await rig.run(["merge", ...files("a\n", "b\n", "c\n")])).code).toBe(3);
    expect(readFileSync(join(folder, "mine"), "utf8")).toContain("<<<<<<< mine\nb\n");
    const apart = files("a\n\nb\n\n[c]: x\n", "[d]: m\n\na\n\nb\n\n[c]: x\n", "a\n\nb\n\n[c]: x\n[d]: t\n");
    const { code, out } = await rig.run(["merge", ...apart, "-p"]);
    expect(code).toBe(3);
    expect(out.join("\n")).toContain("<<<<<<< mine");
  });

  it("explains each line", async () => {
    const { code, out } = await rig.run([
      "merge",
      ...files("- a\n- b\n", "- a\n- b now\n", "- new a\n- b\n"),
      "--explain",
    ]);
    const { lines } = JSON.parse(out.join("\n")) as { lines: { line: number; rule: string }[] };
    expect(code).toBe(0);
    expect(lines.map(({ line, rule }) => [line, rule])).toEqual([
      [1, "remote"],
      [2, "local"],
    ]);
  });
});

describe("`mdmirror merge --driver` as a real git calls it, in a new repository", () => {
  const hasGit = spawnSync("git", ["--version"]).status === 0;

  let folder: string;
  let repo: string;
  const CONFIG = {
    "core.autocrlf": "false",
    "merge.mdmirror.driver": `'${process.execPath}' '${ENTRY}' merge --driver --marker-size=%L --path=%P %O %A %B`,
  };
  const env = () => ({
    ...keptCompiled(),
    PATH: process.env["PATH"],
    HOME: folder,
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_COUNT: String(Object.keys(CONFIG).length),
    ...Object.fromEntries(Object.keys(CONFIG).map((name, n) => [`GIT_CONFIG_KEY_${n}`, name])),
    ...Object.fromEntries(Object.values(CONFIG).map((value, n) => [`GIT_CONFIG_VALUE_${n}`, value])),
    GIT_AUTHOR_NAME: "a",
    GIT_AUTHOR_EMAIL: "a@example.org",
    GIT_COMMITTER_NAME: "a",
    GIT_COMMITTER_EMAIL: "a@example.org",
  });

  function run(args: readonly string[], input: string | Buffer): { code: number | null; said: string } {
    const { status, stdout, stderr } = spawnSync("git", ["-C", repo, ...args], { env: env(), encoding: "utf8", input });
    return { code: status, said: stdout + stderr };
  }

  const git = (...args: string[]) => run(args, "");

  function expectDone({ code, said }: ReturnType<typeof run>): string {
    expect([code, code === 0 ? "" : said]).toEqual([0, ""]);
    return said;
  }

  const done = (...args: string[]) => expectDone(git(...args));

  const text = (name = "note.md") => readFileSync(join(repo, name), "utf8");

  type Files = Readonly<Record<string, string | Buffer>>;

  /** Returns a commit in the format of `git fast-import`. */
  function commitOf(branch: string, files: Files): Buffer {
    const data = (bytes: string | Buffer) => [`data ${Buffer.byteLength(bytes)}\n`, bytes, "\n"];
    const parts = [`commit refs/heads/${branch}\ncommitter a <a@example.org> 0 +0000\n`, ...data(branch)];
    for (const [name, bytes] of Object.entries(files)) parts.push(`M 644 inline ${name}\n`, ...data(bytes));
    return Buffer.concat(parts.map((part) => Buffer.from(part)));
  }

  /**
   * Creates a commit and two branches that change it: `main`, which is checked out, and `other`.
   */
  function fork(base: Files, mine: Files, theirs: Files): void {
    const branch = Buffer.from("reset refs/heads/other\nfrom refs/heads/main\n\n");
    const attributes = { ".gitattributes": "*.md merge=mdmirror\n" };
    const commits = [
      commitOf("main", { ...attributes, ...base }),
      branch,
      commitOf("main", mine),
      commitOf("other", theirs),
    ];
    expectDone(run(["fast-import", "--quiet", "--force"], Buffer.concat(commits)));
    done("reset", "-q", "--hard");
  }

  const note = (content: string | Buffer): Files => ({ "note.md": content });

  beforeEach(() => {
    folder = temporaryFolder();
    repo = join(folder, "repo");
    mkdirSync(repo);
    if (hasGit) done("init", "-q", "-b", "main");
  });

  const BASE = "# Plan\n\nCall Bob on friday about the cake.\n";
  const MINE = "# Plan\n\nCall Bob on monday about the cake.\n";
  const THEIRS = "# Plan\n\nCall Bob on friday about the large cake.\n";
  const MERGED = "# Plan\n\nCall Bob on monday about the large cake.\n";

  describe.skipIf(!hasGit)("git's merge driver (skipped where git is missing)", () => {
    it("merges words of one line, which git alone refuses", () => {
      fork(note(BASE), note(MINE), note(THEIRS));
      expect(git("-c", "merge.mdmirror.driver=git merge-file %A %O %B", "merge", "other").code).toBe(1);
      done("merge", "--abort");
      done("merge", "-q", "--no-edit", "other");
      expect(text()).toBe(MERGED);
      expect(done("status", "--porcelain")).toBe("");
    });

    it("leaves a conflict with markers that git knows, and git calls it unmerged", () => {
      fork(note(BASE), note(BASE.replace("friday", "monday")), note(BASE.replace("friday", "sunday")));
      const { code, said } = git("merge", "other");
      expect([code, said]).toEqual([1, expect.stringContaining("CONFLICT (content): Merge conflict in note.md")]);
      expect(text()).toContain("<<<<<<< mine\nCall Bob on monday about the cake.\n||||||| base\n");
      expect(text()).toContain("=======\nCall Bob on sunday about the cake.\n>>>>>>> theirs\n");
      expect(done("status", "--porcelain")).toBe("UU note.md\n");
      expect(git("diff", "--check").said).toContain("leftover conflict marker");
    });

    it("makes markers as long as the file's attribute asks", () => {
      const attributes = { ".gitattributes": "*.md merge=mdmirror conflict-marker-size=12\n" };
      const [monday, sunday] = ["monday", "sunday"].map((day) => note(BASE.replace("friday", day)));
      fork({ ...note(BASE), ...attributes }, monday!, sunday!);
      expect(git("merge", "other").code).toBe(1);
      expect(text()).toContain(`${"<".repeat(12)} mine\n`);
      expect(text()).toContain(`\n${"=".repeat(12)}\n`);
    });

    it("keeps the line ends of a file with CRLF, in a merge and in a conflict", () => {
      const crlf = (lines: string) => lines.replaceAll("\n", "\r\n");
      fork(note(crlf(BASE)), note(crlf(MINE)), note(crlf(THEIRS)));
      done("merge", "-q", "--no-edit", "other");
      expect(text()).toBe(crlf(MERGED));
      const [sunday, tuesday] = ["sunday", "tuesday"].map((day) => note(crlf(BASE.replace("friday", day))));
      fork(note(crlf(BASE)), sunday!, tuesday!);
      expect(git("merge", "other").code).toBe(1);
      expect(text()).toContain("<<<<<<< mine\r\n");
      expect(text().replaceAll("\r\n", "")).not.toContain("\n");
    });

    it("keeps both versions of a file that is new on both sides, for which git has an empty base", () => {
      const mine = { "held.md": "# Day\n\n- one\n", "note.md": "# Day\n\n- mine\n" };
      const theirs = { "held.md": "# Day\n\n- one\n- two\n", "note.md": "# Day\n\n- other\n" };
      fork({}, mine, theirs);
      expect(git("merge", "other").said).toContain("CONFLICT (add/add): Merge conflict in note.md");
      expect(text()).toBe("<<<<<<< mine\n# Day\n\n- mine\n||||||| base\n=======\n# Day\n\n- other\n>>>>>>> theirs\n");
      expect(text("held.md")).toBe("# Day\n\n- one\n- two\n");
    });

    it("leaves what is not UTF-8 to git's own merge, byte for byte", () => {
      const latin = (lines: string) => Buffer.from(lines, "latin1");
      fork(
        note(latin("caf\u00e9\na\nb\nc\nd\ne\n")),
        note(latin("CAF\u00c9\na\nb\nc\nd\ne\n")),
        note(latin("caf\u00e9\na\nb\nc\nd\nE\u00e9\n")),
      );
      const said = done("merge", "--no-edit", "other");
      expect(said).toContain("mdmirror: note.md is not UTF-8 text: merged by lines, as git does");
      expect(readFileSync(join(repo, "note.md"))).toEqual(latin("CAF\u00c9\na\nb\nc\nd\nE\u00e9\n"));
    });
  });

  describe("without git", () => {
    it("refuses what is not UTF-8, and a marker size that is none, and writes nothing", () => {
      for (const name of ["base", "mine", "theirs"]) writeFileSync(join(repo, name), Buffer.from([0x63, 0xe9, 0x0a]));
      const run = (...args: string[]) =>
        spawnSync(process.execPath, [ENTRY, "merge", ...args, "base", "mine", "theirs"], {
          cwd: repo,
          env: env(),
          encoding: "utf8",
        });
      const plain = run();
      expect([plain.status, plain.stderr]).toEqual([2, expect.stringContaining("is not UTF-8 text")]);
      const size = run("--driver", "--marker-size=0");
      expect([size.status, size.stderr]).toEqual([2, expect.stringContaining("--marker-size takes")]);
      expect(readFileSync(join(repo, "mine"))).toEqual(Buffer.from([0x63, 0xe9, 0x0a]));
    });
  });
});
