import { chmodSync, chownSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { readHooks } from "../../../src/mirror/hooks/read-hooks.ts";
import { temporaryFolder } from "../../temporary-folder.ts";

const TEXT = JSON.stringify({ hooks: { desk: { on: ["stopped"], run: ["true"] } } });

let dir: string;
let folder: string;
let file: string;
beforeEach(() => {
  dir = temporaryFolder();
  folder = join(dir, "mdmirror");
  file = join(folder, "hooks.json");
  mkdirSync(folder, { mode: 0o755 });
  writeFileSync(file, TEXT, { mode: 0o644 });
});

const env = () => ({ XDG_CONFIG_HOME: dir, XDG_STATE_HOME: dir, HOME: dir });
const names = () => {
  const read = readHooks(env());
  return read.kind === "ok" ? read.value.map(({ name }) => name) : `${read.trouble.what}; ${read.trouble.next}`;
};

describe("the user's hooks", () => {
  test("are read from a file that others may read", () => {
    expect(names()).toEqual(["desk"]);
  });

  test("are empty without a file", () => {
    rmSync(file);
    expect(names()).toEqual([]);
  });

  test("are read through a link, as people keep such files elsewhere", () => {
    mkdirSync(join(dir, "dotfiles"));
    writeFileSync(join(dir, "dotfiles/hooks.json"), TEXT);
    rmSync(file);
    symlinkSync(join(dir, "dotfiles/hooks.json"), file);
    expect(names()).toEqual(["desk"]);
    chmodSync(join(dir, "dotfiles"), 0o777);
    expect(names()).toBe(
      `${file} is in ${dir}/dotfiles, which can be written by other users, so mdmirror runs no hook; chmod go-w ${dir}/dotfiles`,
    );
  });

  test.each([0o666, 0o664])("are refused in a file of mode %o", (mode) => {
    chmodSync(file, mode);
    expect(names()).toBe(`${file} can be written by other users, so mdmirror runs no hook; chmod go-w ${file}`);
  });

  test("are refused in a folder that others can write", () => {
    chmodSync(folder, 0o777);
    expect(names()).toContain(`is in ${folder}, which can be written by other users`);
  });

  test.skipIf(process.geteuid?.() !== 0)("are refused in a file of another user (needs root)", () => {
    chownSync(file, 1, 1);
    expect(names()).toContain(`${file} belongs to another user, so mdmirror runs no hook`);
  });

  test("that have a fault are all refused, by the file and the member", () => {
    writeFileSync(file, TEXT.replace("stopped", "saved"));
    expect(names()).toContain(
      `${file} "desk" "on": "saved" is not an event; correct the file; until then mdmirror runs no hook`,
    );
  });
});
