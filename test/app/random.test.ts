import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { systemRandom } from "../../src/app/mirror/random.ts";

describe("random numbers of the system", () => {
  it.each([
    ["the system's own file", undefined],
    ["no file", "/nowhere/at-all"],
    ["a folder", "/"],
  ])("are as many digits as asked for, and never the same, from %s", (_, source) => {
    const random = systemRandom(source);
    const drawn = Array.from({ length: 3_000 }, () => random.hex(15));
    expect(drawn.filter((digits) => !/^[0-9a-f]{15}$/.test(digits))).toEqual([]);
    expect(new Set(drawn).size).toBe(drawn.length);
    expect(random.hex(20_000)).toMatch(/^[0-9a-f]{20000}$/);
  });

  it("are not taken from a file that has too few", () => {
    const folder = mkdtempSync(join(tmpdir(), "mdmirror-random-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = join(folder, "few");
    writeFileSync(file, Buffer.alloc(100));
    expect(systemRandom(file).hex(32)).not.toBe("0".repeat(32));
  });

  it("are drawn without a module that a start would wait for", () => {
    const room = new URL("../../src/app/mirror/random.ts", import.meta.url).href;
    const child = `import { systemRandom } from "${room}";
      const digits = systemRandom().hex(8);
      console.log(JSON.stringify([digits.length, process.moduleLoadList.includes("NativeModule crypto")]));`;
    const told = execFileSync(process.execPath, ["--input-type=module", "-e", child], { encoding: "utf8" });
    expect(JSON.parse(told)).toEqual([8, false]);
  });
});
