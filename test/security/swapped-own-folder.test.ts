import { mkdirSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readOwnFile, statOwnFile, withOwnFolderOpen } from "../../src/mirror/state/own-files.ts";
import { UnsafePathError } from "../../src/common/ownership.ts";
import { temporaryFolder } from "../temporary-folder.ts";

function ground() {
  const root = temporaryFolder();
  const [folder, other] = [join(root, ".mdmirror"), join(root, "other")];
  for (const [at, text] of [
    [folder, "own"],
    [other, "another's"],
  ] as const) {
    mkdirSync(at, { mode: 0o700 });
    writeFileSync(join(at, "key"), text, { mode: 0o600 });
  }
  return { root, folder, other };
}

const textOf = (folder: string) => readOwnFile(folder, "key")?.bytes.toString();

test.skipIf(process.platform !== "linux")(
  "I30 an open folder stays the same folder, whatever is at its path later (needs Linux)",
  () => {
    const { root, folder, other } = ground();
    const read = withOwnFolderOpen(folder, () => {
      renameSync(folder, join(root, "away"));
      symlinkSync(other, folder);
      return [textOf(folder), statOwnFile(folder, "key", "file")?.size];
    });
    expect(read).toEqual(["own", 3]);
    expect(() => textOf(folder)).toThrow(UnsafePathError);
    expect(() => withOwnFolderOpen(folder, () => 1)).toThrow(UnsafePathError);
  },
);

test("open folders are closed, also after an exception, and a nested use has the same folder", () => {
  const { folder, other } = ground();
  const fails = () => {
    throw new Error("no");
  };
  expect(() => withOwnFolderOpen(folder, fails)).toThrow("no");
  renameSync(folder, `${folder}-before`);
  renameSync(other, folder);
  expect(textOf(folder)).toBe("another's");
  const twice = withOwnFolderOpen(folder, () => [withOwnFolderOpen(folder, () => textOf(folder)), textOf(folder)]);
  expect(twice).toEqual(["another's", "another's"]);
});

test("without a folder nothing is kept open, and each check reports that", () => {
  const { root } = ground();
  const missing = join(root, "missing", ".mdmirror");
  expect(withOwnFolderOpen(missing, () => statOwnFile(missing, "key", "file"))).toBeNull();
});
