import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ENTRY, keptCompiled } from "../program.ts";

/** `mdmirror merge --driver` as a real git calls it, in a repository of its own. */

/** Where there is no git nothing calls a merge driver. */
const hasGit = spawnSync("git", ["--version"]).status === 0;

let folder: string;
let repo: string;
const env = () => ({
  ...keptCompiled(),
  PATH: process.env["PATH"],
  HOME: folder,
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_AUTHOR_NAME: "a",
  GIT_AUTHOR_EMAIL: "a@example.org",
  GIT_COMMITTER_NAME: "a",
  GIT_COMMITTER_EMAIL: "a@example.org",
});

function git(...args: string[]): { code: number | null; said: string } {
  const { status, stdout, stderr } = spawnSync("git", ["-C", repo, ...args], { env: env(), encoding: "utf8" });
  return { code: status, said: stdout + stderr };
}

function done(...args: string[]): string {
  const { code, said } = git(...args);
  expect([args.join(" "), code, code === 0 ? "" : said]).toEqual([args.join(" "), 0, ""]);
  return said;
}

const put = (text: string | Buffer, name = "note.md") => writeFileSync(join(repo, name), text);
const text = (name = "note.md") => readFileSync(join(repo, name), "utf8");
const save = (content: string | Buffer, message: string, name = "note.md") => {
  put(content, name);
  done("add", name);
  done("commit", "-q", "-m", message);
};

/** The branch `other`, and `main` checked out. */
function fork(base: string | Buffer, mine: string | Buffer, theirs: string | Buffer): void {
  save(base, "base");
  done("checkout", "-q", "-b", "other");
  save(theirs, "theirs");
  done("checkout", "-q", "main");
  save(mine, "mine");
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "mdmirror-driver-"));
  repo = join(folder, "repo");
  mkdirSync(repo);
  if (!hasGit) return;
  done("init", "-q", "-b", "main");
  done("config", "core.autocrlf", "false");
  const call = `'${process.execPath}' '${ENTRY}' merge --driver --marker-size=%L --path=%P %O %A %B`;
  done("config", "merge.mdmirror.driver", call);
  save("*.md merge=mdmirror\n", "attributes", ".gitattributes");
});
afterEach(() => rmSync(folder, { recursive: true }));

const BASE = "# Plan\n\nCall Bob on friday about the cake.\n";
const MINE = "# Plan\n\nCall Bob on monday about the cake.\n";
const THEIRS = "# Plan\n\nCall Bob on friday about the large cake.\n";
const MERGED = "# Plan\n\nCall Bob on monday about the large cake.\n";

describe.skipIf(!hasGit)("git's merge driver (skipped where git is missing)", () => {
  it("merges words of one line, which git alone refuses", () => {
    fork(BASE, MINE, THEIRS);
    expect(git("-c", "merge.mdmirror.driver=git merge-file %A %O %B", "merge", "other").code).toBe(1);
    done("merge", "--abort");
    done("merge", "-q", "--no-edit", "other");
    expect(text()).toBe(MERGED);
    expect(done("status", "--porcelain")).toBe("");
  });

  it("leaves a conflict with markers that git knows, and git calls it unmerged", () => {
    fork(BASE, BASE.replace("friday", "monday"), BASE.replace("friday", "sunday"));
    const { code, said } = git("merge", "other");
    expect([code, said]).toEqual([1, expect.stringContaining("CONFLICT (content): Merge conflict in note.md")]);
    expect(text()).toContain("<<<<<<< mine\nCall Bob on monday about the cake.\n||||||| base\n");
    expect(text()).toContain("=======\nCall Bob on sunday about the cake.\n>>>>>>> theirs\n");
    expect(done("status", "--porcelain")).toBe("UU note.md\n");
    expect(git("diff", "--check").said).toContain("leftover conflict marker");
  });

  it("makes markers as long as the file's attribute asks", () => {
    save("*.md merge=mdmirror conflict-marker-size=12\n", "longer", ".gitattributes");
    fork(BASE, BASE.replace("friday", "monday"), BASE.replace("friday", "sunday"));
    expect(git("merge", "other").code).toBe(1);
    expect(text()).toContain(`${"<".repeat(12)} mine\n`);
    expect(text()).toContain(`\n${"=".repeat(12)}\n`);
  });

  it("keeps the line ends of a file with CRLF, in a merge and in a conflict", () => {
    const crlf = (lines: string) => lines.replaceAll("\n", "\r\n");
    fork(crlf(BASE), crlf(MINE), crlf(THEIRS));
    done("merge", "-q", "--no-edit", "other");
    expect(text()).toBe(crlf(MERGED));
    save(crlf(MERGED.replace("monday", "sunday")), "mine again");
    done("checkout", "-q", "other");
    save(crlf(THEIRS.replace("friday", "tuesday")), "theirs again");
    done("checkout", "-q", "main");
    expect(git("merge", "other").code).toBe(1);
    expect(text()).toContain("<<<<<<< mine\r\n");
    expect(text().replaceAll("\r\n", "")).not.toContain("\n");
  });

  it("keeps both texts of a file that is new on both sides, where git has an empty base", () => {
    save("# Day\n\n- one\n", "mine, held", "held.md");
    done("checkout", "-q", "-b", "other", "HEAD~1");
    save("# Day\n\n- one\n- two\n", "theirs, held", "held.md");
    save("# Day\n\n- other\n", "theirs");
    done("checkout", "-q", "main");
    save("# Day\n\n- mine\n", "mine");
    expect(git("merge", "other").said).toContain("CONFLICT (add/add): Merge conflict in note.md");
    expect(text()).toBe("<<<<<<< mine\n# Day\n\n- mine\n||||||| base\n=======\n# Day\n\n- other\n>>>>>>> theirs\n");
    expect(text("held.md")).toBe("# Day\n\n- one\n- two\n");
  });

  it("leaves what is not UTF-8 to git's own merge, byte for byte", () => {
    const latin = (lines: string) => Buffer.from(lines, "latin1");
    fork(
      latin("caf\u00e9\na\nb\nc\nd\ne\n"),
      latin("CAF\u00c9\na\nb\nc\nd\ne\n"),
      latin("caf\u00e9\na\nb\nc\nd\nE\u00e9\n"),
    );
    const said = done("merge", "--no-edit", "other");
    expect(said).toContain("mdmirror: note.md is not UTF-8 text: merged by lines, as git does");
    expect(readFileSync(join(repo, "note.md"))).toEqual(latin("CAF\u00c9\na\nb\nc\nd\nE\u00e9\n"));
  });
});

describe("without git", () => {
  it("refuses what is not UTF-8, and a marker size that is none, and writes nothing", () => {
    for (const name of ["base", "mine", "theirs"]) put(Buffer.from([0x63, 0xe9, 0x0a]), name);
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
