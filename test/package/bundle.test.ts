import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { buildSync } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CHECKOUT, type Installed, run } from "./installed.ts";
import { type ServedMirror, serveMirror } from "./served-mirror.ts";

const DIST = join(CHECKOUT, "dist");

let built: Installed;
let served: ServedMirror;

beforeAll(async () => {
  served = await serveMirror(["plan.md"]);
  ({ built } = served);
});

afterAll(() => served.stop());

describe("the bundle", () => {
  it("holds the licenses of the packages that are inside it", () => {
    const license = /^([\w@/.-]+) (\d+\.\d+\.\d+)$/gm;
    const text = readFileSync(join(DIST, "LICENSES.txt"), "utf8");
    const { dependencies } = JSON.parse(readFileSync(join(CHECKOUT, "package.json"), "utf8"));
    const held = [...text.matchAll(license)].map(([, name, version]) => [name, version]);
    expect(held).toEqual(["p-queue", "undici"].map((name) => [name, dependencies[name]]));
    expect(text.match(/Permission is hereby granted/g)).toHaveLength(held.length);
  });

  it("loads neither HTTP/2 nor TLS to reach a service by http", () => {
    const shown = "process.on('exit', () => process._rawDebug(JSON.stringify(process.moduleLoadList)))";
    const env = { ...built.env, NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(shown)}` };
    const { code, err } = run({ ...built, env }, "sync", served.mirror);
    expect(code).toBe(0);
    const loaded: unknown = JSON.parse(err);
    expect(loaded).toContain("NativeModule net");
    expect(loaded).not.toContain("NativeModule http2");
    expect(loaded).not.toContain("NativeModule tls");
  });

  it.each([
    ["links", "findLinks"],
    ["client", "createClient"],
    ["index", "openMirror"],
  ])("lets another bundler include the library: %s", (module, name) => {
    const outfile = join(built.dir, "bundled", `${module}.mjs`);
    const contents = `import { ${name} } from "./lib/${module}.js"; console.log(typeof ${name});`;
    const banner = { js: 'import { createRequire as cr } from "node:module"; const require = cr(import.meta.url);' };
    const options = { bundle: true, format: "esm", platform: "node", logLevel: "silent" } as const;
    buildSync({ ...options, stdin: { contents, resolveDir: DIST }, outfile, banner });
    expect(execFileSync(process.execPath, [outfile], { encoding: "utf8" })).toBe("function\n");
  });
});

describe("compiled code", () => {
  it("is kept in the user's cache", () => {
    const cache = join(built.dir, "cache");
    const asked = { ...built, env: { ...built.env, XDG_CACHE_HOME: cache } };
    for (const _ of [1, 2]) expect(run(asked, "sync", served.mirror)).toMatchObject({ code: 0, err: "" });
    expect(readdirSync(join(cache, "mdmirror/compiled"))).toHaveLength(1);
  });

  it.each(["", "local"])("is never kept below the present folder, where HOME is %j", (home) => {
    const cwd = join(built.dir, `home ${home}`);
    mkdirSync(cwd);
    const env = { ...built.env, HOME: home, XDG_CACHE_HOME: undefined };
    expect(execFileSync(built.command, ["--version"], { cwd, env, encoding: "utf8" })).toMatch(/^\d/);
    expect(readdirSync(cwd)).toEqual([]);
  });

  it("is not missed where nothing can be kept", () => {
    const asked = { ...built, env: { ...built.env, XDG_CACHE_HOME: "/proc/no-such-folder" } };
    expect(run(asked, "sync", served.mirror)).toMatchObject({ code: 0, err: "" });
  });
});
