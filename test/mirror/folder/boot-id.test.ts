import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { readBootId } from "../../../src/mirror/folder/open-mirror.ts";
import { temporaryFolder } from "../../temporary-folder.ts";

let dir: string;
beforeEach(() => {
  dir = temporaryFolder();
});

const ID = "6B1F5D0E-57F0-4C0B-9D8C-0B1F1B5E2C11";

/**
 * Installs a `sysctl` that prints the id if it is called as on macOS and with an empty environment.
 */
function plantSysctl(text: string): string {
  const program = join(dir, "sysctl");
  writeFileSync(program, `#!/bin/sh\n${text}\n`);
  chmodSync(program, 0o755);
  return program;
}

test("Linux has it in a file", () => {
  const file = join(dir, "boot_id");
  writeFileSync(file, `${ID}\n`);
  expect(readBootId({ platform: "linux", file })).toBe(ID);
});

test("macOS prints it by a program, which does not get the key", () => {
  const sysctl = plantSysctl(`[ "$*" = "-n kern.bootsessionuuid" ] && [ -z "$MDMIRROR_API_KEY" ] && echo ${ID}`);
  process.env["MDMIRROR_API_KEY"] = "mdm_from_the_shell";
  try {
    expect(readBootId({ platform: "darwin", sysctl, file: "/nothing" })).toBe(ID);
  } finally {
    delete process.env["MDMIRROR_API_KEY"];
  }
});

test("it is unknown if the file is missing or empty, or the program is missing, fails or prints nothing", () => {
  const file = join(dir, "empty");
  writeFileSync(file, "\n");
  expect(readBootId({ platform: "linux", file })).toBeNull();
  expect(readBootId({ platform: "linux", file: join(dir, "none") })).toBeNull();
  expect(readBootId({ platform: "darwin", sysctl: join(dir, "none") })).toBeNull();
  expect(readBootId({ platform: "darwin", sysctl: plantSysctl(`echo ${ID}; exit 1`) })).toBeNull();
  expect(readBootId({ platform: "darwin", sysctl: plantSysctl("exit 0") })).toBeNull();
});
