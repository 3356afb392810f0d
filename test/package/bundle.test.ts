import { execFile, execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { buildSync } from "esbuild";
import { describe, expect, it } from "vitest";
import { useRig } from "../cli/rig.ts";
import { ENTRY } from "../program.ts";
import { CHECKOUT } from "./installed.ts";

const DIST = join(CHECKOUT, "dist");
const rig = useRig();

describe("the bundle", () => {
  it("holds the licenses of the packages that are inside it", () => {
    const license = /^([\w@/.-]+) (\d+\.\d+\.\d+)$/gm;
    const text = readFileSync(join(DIST, "LICENSES.txt"), "utf8");
    const { dependencies } = JSON.parse(readFileSync(join(CHECKOUT, "package.json"), "utf8"));
    const held = [...text.matchAll(license)].map(([, name, version]) => [name, version]);
    expect(held).toEqual(["ignore", "p-queue", "undici"].map((name) => [name, dependencies[name]]));
    expect(text.match(/Permission is hereby granted/g)).toHaveLength(held.length);
  });

  it("loads neither HTTP/2 nor TLS to reach a service by http", async () => {
    await rig.init();
    const shown = "process.on('exit', () => process._rawDebug(JSON.stringify(process.moduleLoadList)))";
    const options = `--import=data:text/javascript,${encodeURIComponent(shown)}`;
    const env = { HOME: rig.dir, XDG_STATE_HOME: rig.stateHome, NODE_OPTIONS: options };
    // It rejects for an exit code other than 0.
    const { stderr } = await promisify(execFile)(process.execPath, [ENTRY, "sync", rig.root], { env });
    const loaded: unknown = JSON.parse(stderr);
    expect(loaded).toContain("NativeModule net");
    expect(loaded).not.toContain("NativeModule http2");
    expect(loaded).not.toContain("NativeModule tls");
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
