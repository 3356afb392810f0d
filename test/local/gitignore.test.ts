import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { LocalDisk } from "../../src/mirror/local/disk.ts";
import { ancestorsOf } from "../../src/contract/path.ts";
import type { LocalTree } from "../../src/mirror/model/tree.ts";
import { fc, seed } from "../property.ts";
import { rollDice } from "../simulator/dice.ts";
import { type Bench, createNodeBench } from "../simulator/fs-bench.ts";
import { mirrorOn, ROOT, ramMirror, walkAll } from "./benches.ts";

/** A folder that follows its `.gitignore` files. */

const hasGit = spawnSync("git", ["--version"]).status === 0;
/** git with no configuration but the repository's own. */
const ENV = { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_SYSTEM: "/dev/null", HOME: "/nonexistent" };

const FOLDERS = ["", "a", "b", "a/b", "a b", "a b/[c]", "é", "a/b/d", "build", "build/x", "a/build"];
const NAMES = ["a.md", "b.md", "ab.md", "é.md", " x.md", "[c].md", "!a.md", "#b.md", "build.md", "a*b.md", "A.md"];
const LINES = [
  "*",
  "*.md",
  "a",
  "b",
  "a.md",
  "build",
  "a b",
  "[c]",
  "[a-b]",
  "[!a]",
  "?",
  "??.md",
  "**",
  "é",
  "#b.md",
  "d",
];
const FORMS = [
  "L",
  "L",
  "/L",
  "L/",
  "!L",
  "!L/",
  "!/L",
  "**/L",
  "L/**",
  "L/*",
  "a/L",
  "/a/L/",
  "!a/L",
  "a/**/L",
  "\\L",
  "L ",
  "L\\ ",
  "*L",
];

const line = fc
  .tuple(fc.constantFrom(...FORMS), fc.constantFrom(...LINES))
  .map(([form, name]) => form.replace("L", name));
const file = fc.tuple(fc.array(line, { minLength: 1, maxLength: 4 }), fc.constantFrom("\n", "\r\n"));
/** A `.gitignore` file or none for each folder. */
const tree = fc.tuple(...FOLDERS.map(() => fc.option(file, { freq: 2 })));

type RuleFiles = ReadonlyMap<string, string>;

function filesOf(generated: readonly (readonly [readonly string[], string] | null)[]): RuleFiles {
  const found = FOLDERS.flatMap((folder, at) => {
    const [lines, end] = generated[at] ?? [null, ""];
    return lines === null ? [] : [[folder, lines.join(end)] as const];
  });
  return new Map(found);
}

/**
 * Returns, for each path below `top`, the line by which git excludes it; null if git includes it.
 */
function askGit(repository: string, paths: readonly string[]): Map<string, string | null> {
  const options = ["-C", repository, "check-ignore", "--no-index", "-z", "--stdin", "--verbose", "--non-matching"];
  const { stdout } = spawnSync("git", options, { input: paths.join("\0"), env: ENV, maxBuffer: 2 ** 26 });
  const fields = stdout.toString("utf8").split("\0");
  const said = new Map<string, string | null>();
  for (let at = 0; at + 3 < fields.length; at += 4) {
    const [source, number, pattern, path] = fields.slice(at, at + 4) as [string, string, string, string];
    said.set(path, source === "" || pattern.startsWith("!") ? null : `line ${number} of ${source}`);
  }
  return said;
}

/** Creates a git repository that is also a linked folder. */
function repository(): { readonly bench: Bench; readonly walk: () => LocalTree } {
  const bench = createNodeBench();
  const { disk } = mirrorOn(bench, { gitignore: () => [] });
  spawnSync("git", ["init", "--quiet", bench.root], { env: ENV });
  return { bench, walk: () => walkAll(disk) };
}

describe.skipIf(!hasGit)("beside a real git (skipped where git is missing)", () => {
  it("leaves out what git ignores, by the same line of the same file", () => {
    const { bench, walk } = repository();
    const trees = fc.sample(tree, { numRuns: 16, seed }).map(filesOf);
    const paths = FOLDERS.flatMap((folder) => NAMES.map((name) => join(folder, name)));
    // Each tree has its own folder, so that no `.gitignore` file applies to another tree.
    const tops = trees.map((_, at) => `t${at}`);
    for (const [at, files] of trees.entries()) {
      for (const path of paths) put(bench.root, join(tops[at]!, path), "");
      for (const [folder, text] of files) put(bench.root, join(tops[at]!, folder, ".gitignore"), text);
    }
    const all = tops.flatMap((top) => paths.map((path) => join(top, path)));
    const git = askGit(bench.root, all);
    const here = walk();
    expect(git.size).toBe(all.length);
    const [ours, theirs] = [new Map<string, unknown>(), new Map<string, unknown>()];
    for (const path of all) {
      const said = git.get(path)!;
      const mine = lineOf(here, path);
      if (mine !== said || here.ignores(path, "file") !== (said !== null)) {
        ours.set(path, mine);
        theirs.set(path, said);
      }
    }
    expect(ours).toEqual(theirs);
    const ignored = [...git.values()].filter((said) => said !== null).length;
    expect(ignored).toBeGreaterThan(all.length / 10);
    expect(ignored).toBeLessThan((all.length * 9) / 10);
  });

  it("and so with the files of the root itself", () => {
    for (const generated of fc.sample(tree, { numRuns: 3, seed: seed + 1 })) {
      const { bench, walk } = repository();
      const paths = FOLDERS.flatMap((folder) => NAMES.map((name) => join(folder, name)));
      for (const path of paths) put(bench.root, path, "");
      for (const [folder, text] of filesOf(generated)) put(bench.root, join(folder, ".gitignore"), text);
      const here = walk();
      expect(new Map(paths.map((path) => [path, lineOf(here, path)]))).toEqual(askGit(bench.root, paths));
    }
  });
});

function put(root: string, path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

/**
 * Returns the line by which a scan excluded a path or a folder above it; null if the path is
 * included.
 */
function lineOf({ files, others }: LocalTree, path: string): string | null {
  if (files.has(path)) return null;
  for (const at of [...ancestorsOf(path), path]) {
    const other = others.get(at);
    if (other !== undefined) return other.rule ?? `by its name, ${other.kind}`;
  }
  return "nowhere";
}

/** Scans a folder in memory, of which `recorded` are synced documents. */
function follow(files: Readonly<Record<string, string>>, recorded: readonly string[]): LocalTree {
  const { ram, at } = ramMirror();
  for (const [path, text] of Object.entries(files)) {
    ram.user.makeFolder(dirname(at(path)));
    ram.user.write(at(path), text);
  }
  return walkAll(new LocalDisk(ram, ROOT, { random: rollDice(7), gitignore: () => recorded }));
}

describe("a walk that follows .gitignore files", () => {
  const FILES = {
    ".gitignore": "dist/\n*.tmp.md\n",
    "a.md": "a",
    "b.tmp.md": "b",
    "dist/c.md": "c",
    "dist/deep/d.md": "d",
    "node_modules/e.md": "e",
  };

  it("leaves out what is not linked, and distinguishes it from what .mdmirrorignore excludes", () => {
    const tree = follow({ ...FILES, ".mdmirrorignore": "node_modules/\n" }, []);
    expect([...tree.files.keys()]).toEqual(["a.md"]);
    expect(Object.fromEntries([...tree.others.values()].map(({ path, kind, rule }) => [path, [kind, rule]]))).toEqual({
      ".gitignore": ["other-file", undefined],
      ".mdmirrorignore": ["other-file", undefined],
      "b.tmp.md": ["git-ignored", "line 2 of .gitignore"],
      dist: ["git-ignored-folder", "line 1 of .gitignore"],
      node_modules: ["ignored-folder", "line 1 of .mdmirrorignore"],
    });
  });

  it("sees what is linked, and nothing else beside it", () => {
    const tree = follow(FILES, ["dist/deep/d.md", "b.tmp.md"]);
    expect([...tree.files.keys()].toSorted()).toEqual(["a.md", "b.tmp.md", "dist/deep/d.md", "node_modules/e.md"]);
    expect(tree.others.get("dist/c.md")).toMatchObject({ kind: "git-ignored", rule: "line 1 of .gitignore" });
    const ignored = ["dist/deep/d.md", "b.tmp.md", "dist/c.md", "dist/new.md"].map((path) =>
      tree.ignores(path, "file"),
    );
    expect(ignored).toEqual([false, false, true, true]);
    expect(["dist", "dist/deep", "dist/other"].map((path) => tree.ignores(path, "folder"))).toEqual([
      false,
      false,
      true,
    ]);
  });

  it("lets .mdmirrorignore take back what a .gitignore leaves out, and exclude what is linked", () => {
    const tree = follow({ ...FILES, ".mdmirrorignore": "!dist/\ndist/deep/\n" }, ["dist/deep/d.md"]);
    expect([...tree.files.keys()].toSorted()).toEqual(["a.md", "dist/c.md", "node_modules/e.md"]);
    expect(tree.others.get("dist/deep")).toMatchObject({ kind: "ignored-folder" });
  });

  it("does not see a folder whose .gitignore it cannot read or use, for it might exclude anything", () => {
    const unfit = follow({ "x/.gitignore": "a\nb/**/c/**/d/**/e\n", "x/a.md": "a", "b.md": "b" }, []);
    expect([...unfit.files.keys()]).toEqual(["b.md"]);
    expect(unfit.unseen.get("x")).toMatchObject({
      why: 'line 2 of x/.gitignore has more than 2 "**" between its names',
    });
  });

  it("reads none where it does not follow them", () => {
    const { ram, disk, at } = ramMirror();
    for (const [path, text] of Object.entries(FILES)) {
      ram.user.makeFolder(dirname(at(path)));
      ram.user.write(at(path), text);
    }
    expect(walkAll(disk).files.size).toBe(5);
  });
});
