import { describe, expect, test } from "vitest";
import type { LocalTree } from "../../src/mirror/model/tree.ts";
import { LocalDisk } from "../../src/mirror/local/disk.ts";
import { RamDisk } from "../simulator/ram-disk.ts";
import { FIXED_RANDOM } from "../simulator/quiet-ports.ts";
import { walkAll } from "./benches.ts";

const ROOT = "/home/ann/notes";

function guard() {
  const ram = new RamDisk();
  ram.user.makeFolder(`${ROOT}/.mdmirror/tmp`);
  ram.user.makeFolder(`${ROOT}/folder`);
  for (const name of ["a", "b", "c"]) ram.user.write(`${ROOT}/${name}.md`, `# ${name}\n\nthe text of ${name}\n`);
  ram.user.write(`${ROOT}/picture.png`, "bytes");
  ram.advance(10_000);
  const disk = new LocalDisk(ram, ROOT, { random: FIXED_RANDOM });
  const texts: string[] = [];
  const tree = walkAll(disk);
  const lookAt = (...paths: string[]) => disk.scanFiles(tree, paths, (_digest, text) => texts.push(text));
  return { user: ram.user, advance: (ms: number) => ram.advance(ms), disk, tree, texts, lookAt };
}

const at = (path: string) => `${ROOT}/${path}`;

describe("a scan of some files", () => {
  test("that are as they were gives the same tree, and reads nothing", () => {
    const { tree, texts, lookAt } = guard();
    expect(lookAt("a.md", "b.md", "nothing-there.md", "picture.png")).toBe(tree);
    expect(texts).toEqual([]);
  });

  test.each([
    ["in place", (path: string, g: ReturnType<typeof guard>) => g.user.write(path, "edited\n")],
    ["by a rename over it", (path: string, g: ReturnType<typeof guard>) => g.user.saveAtomically(path, "edited\n")],
  ])("finds an edit %s as a whole walk does, and hands on its text", (_how, save) => {
    const made = guard();
    save(at("b.md"), made);
    const looked = made.lookAt("b.md") as LocalTree;
    const walked = walkAll(made.disk);
    expect(looked.files.get("b.md")).toEqual({ ...walked.files.get("b.md"), stampTrusted: false });
    expect([...looked.files.keys()]).toEqual([...walked.files.keys()]);
    expect(made.texts).toEqual(["edited\n"]);
    expect(made.tree.files.get("b.md")).not.toEqual(looked.files.get("b.md"));
  });

  type Act = (user: ReturnType<typeof guard>["user"]) => void;
  const nothing: Act = () => undefined;
  test.each<[string, Act, string]>([
    ["a removal", (user) => user.remove(at("a.md")), "a.md"],
    ["a new document", (user) => user.write(at("new.md"), "x\n"), "new.md"],
    ["a rename", (user) => user.rename(at("a.md"), at("d.md")), "d.md"],
    ["another document's file at its path", (user) => user.rename(at("a.md"), at("b.md")), "b.md"],
    ["a document renamed to what is not mirrored", (user) => user.rename(at("a.md"), at("a.txt")), "a.txt"],
    ["a new folder", (user) => user.makeFolder(at("new")), "new"],
    ["a known folder", nothing, "folder"],
    ["the root", nothing, ""],
    ["ignore rules", nothing, ".mdmirrorignore"],
  ])("asks for a whole walk after %s", (_what, act, path) => {
    const { user, lookAt } = guard();
    act(user);
    expect(lookAt(path)).toBeNull();
  });

  test.each<[string, Act]>([
    ["a folder", (user) => user.makeFolder(at("a.md"))],
    ["a symbolic link", (user) => user.symlink(at("b.md"), at("a.md"))],
  ])("asks for a whole walk where %s took a document's place", (_what, put) => {
    const { user, lookAt } = guard();
    user.remove(at("a.md"));
    put(user);
    expect(lookAt("a.md")).toBeNull();
  });

  test("a file made and removed again, and an editor's leftovers, are no matter", () => {
    const { user, tree, lookAt } = guard();
    for (const name of ["4913", "a.md~", ".a.md.swp", "a.md.tmp"]) user.write(at(name), "x");
    user.remove(at("4913"));
    expect(lookAt("4913", "a.md~", ".a.md.swp", "a.md.tmp")).toBe(tree);
  });
});
