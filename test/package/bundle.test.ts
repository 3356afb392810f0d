import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { buildSync } from "esbuild";
import { describe, expect, it } from "vitest";
import { useRig } from "../cli/rig.ts";
import { CHECKOUT } from "./installed.ts";

const DIST = join(CHECKOUT, "dist");
const rig = useRig();

describe("the bundle", () => {
  it("has the licenses of the packages that are inside it", () => {
    const license = /^([\w@/.-]+) (\d+\.\d+\.\d+)$/gm;
    const text = readFileSync(join(DIST, "LICENSES.txt"), "utf8");
    const { dependencies } = JSON.parse(readFileSync(join(CHECKOUT, "package.json"), "utf8"));
    const licenses = [...text.matchAll(license)].map(([, name, version]) => [name, version]);
    expect(licenses).toEqual(["ignore", "p-queue", "undici"].map((name) => [name, dependencies[name]]));
    expect(text.match(/Permission is hereby granted/g)).toHaveLength(licenses.length);
  });

  it("lets another bundler include the library", () => {
    const outfile = join(rig.dir, "bundled.mjs");
    const contents = 'import { openMirror } from "./lib/index.js"; console.log(typeof openMirror);';
    const banner = { js: 'import { createRequire as cr } from "node:module"; const require = cr(import.meta.url);' };
    const options = { bundle: true, format: "esm", platform: "node", logLevel: "silent" } as const;
    buildSync({ ...options, stdin: { contents, resolveDir: DIST }, outfile, banner });
    expect(execFileSync(process.execPath, [outfile], { encoding: "utf8" })).toBe("function\n");
  });
});
