import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { readHooks } from "../../../src/app/hooks/read-hooks.ts";
import { readSecret } from "../../../src/app/hooks/secret.ts";

const TEXT = JSON.stringify({ hooks: { desk: { on: ["halted"], run: ["true"] } } });
const SECRET = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;

let dir: string;
let folder: string;
let file: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "mdm-hooks-"));
  folder = join(dir, "mdmirror");
  file = join(folder, "hooks.json");
  mkdirSync(folder, { mode: 0o755 });
  writeFileSync(file, TEXT, { mode: 0o644 });
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const env = () => ({ XDG_CONFIG_HOME: dir, XDG_STATE_HOME: dir, HOME: dir });
const names = () => {
  const read = readHooks(env());
  return read.kind === "ok" ? read.value.map(({ name }) => name) : `${read.trouble.what}; ${read.trouble.next}`;
};

describe("the user's hooks", () => {
  test("are read from a file that others may read", () => {
    expect(names()).toEqual(["desk"]);
  });

  test("are none where there is no file", () => {
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
    expect(names()).toContain(`lies in ${dir}/dotfiles, which can be written by other users, so no hook in it is run`);
  });

  test.each([0o666, 0o664])("are refused in a file of mode %o", (mode) => {
    chmodSync(file, mode);
    expect(names()).toBe(`${file} can be written by other users, so no hook in it is run; chmod go-w ${file}`);
  });

  test("are refused in a folder that others can write", () => {
    chmodSync(folder, 0o777);
    expect(names()).toContain(`lies in ${folder}, which can be written by other users`);
  });

  test.skipIf(process.geteuid?.() !== 0)("are refused in a file of another user's", () => {
    chownSync(file, 1, 1);
    expect(names()).toContain(`${file} belongs to another user, so no hook in it is run`);
  });

  test("that have a fault are all refused, by the file and the member", () => {
    writeFileSync(file, TEXT.replace("halted", "saved"));
    expect(names()).toContain(`${file} "desk" "on": "saved" is no event; mend it: no hook in it is run until then`);
  });
});

describe("a signing secret", () => {
  const secretFile = () => join(folder, "team.secret");
  const read = () => readSecret({ kind: "file", path: secretFile() }, {});

  test("comes from a file that is this user's alone, or from a variable", () => {
    writeFileSync(secretFile(), `${SECRET}\n`, { mode: 0o600 });
    expect(read()).toEqual({ kind: "ok", value: SECRET });
    expect(readSecret({ kind: "env", name: "S" }, { S: SECRET })).toEqual({ kind: "ok", value: SECRET });
  });

  test("that others may read is refused", () => {
    writeFileSync(secretFile(), SECRET, { mode: 0o640 });
    expect(read()).toMatchObject({ kind: "trouble", trouble: { next: `chmod 600 ${secretFile()}` } });
  });

  test.each([
    ["nothing", ""],
    ["another form", SECRET.slice("whsec_".length)],
    ["a short one", `whsec_${Buffer.alloc(16).toString("base64")}`],
    ["no base64", `${SECRET}!`],
  ])("that is %s is refused, and not repeated", (_name, text) => {
    writeFileSync(secretFile(), text, { mode: 0o600 });
    const refused = read();
    expect(refused.kind).toBe("trouble");
    if (text !== "") expect(JSON.stringify(refused)).not.toContain(text);
  });

  test("that is not there is asked for, with a way to make one", () => {
    expect(read()).toMatchObject({ trouble: { next: expect.stringContaining("head -c 32 /dev/urandom | base64") } });
  });
});
