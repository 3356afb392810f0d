import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { buildSync } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PARTS, TAKEN_IN } from "../../scripts/build/parts.ts";
import { CHECKOUT, type Installed, run } from "./installed.ts";
import { type ServedMirror, serveMirror } from "./served-mirror.ts";

const DIST = join(CHECKOUT, "dist");
const ours = (path: string) => import(pathToFileURL(join(DIST, path)).href) as Promise<Record<string, unknown>>;

/** Prints the path of each module of ours that is loaded, and of packages, on standard error. */
const HOOK = `import { registerHooks } from "node:module";
const ours = ${JSON.stringify(pathToFileURL(`${DIST}/`).href)};
registerHooks({ load(url, context, next) {
  if (url.startsWith(ours)) process.stderr.write("LOAD " + url.slice(ours.length) + "\\n");
  else if (/node_modules.*[.][cm]?js$/.test(url)) process.stderr.write("PACKAGE " + url + "\\n");
  return next(url, context);
} });`;

/** Those whose code was kept there. */
function partsRunWith(cache: string): readonly string[] {
  const files = readdirSync(cache, { recursive: true, encoding: "utf8" });
  return files.flatMap((file) => /(\w+)-[0-9a-f]{16}-\w+$/.exec(file)?.[1] ?? []).toSorted();
}

let dir: string;
let built: Installed;
let mirror: string;
let served: ServedMirror;

beforeAll(async () => {
  served = await serveMirror(["plan.md", "deep/list.md"]);
  ({ built, mirror } = served);
  ({ dir } = built);
});

afterAll(() => served.stop());

describe("the parts of dist", () => {
  it.each([
    ["--version", ["start"]],
    ["status", ["common", "start", "status"]],
    ["sync", ["common", "start", "sync"]],
  ])("are all that %s loads, beside what it begins with", (command, parts) => {
    const options = `--import data:text/javascript,${encodeURIComponent(HOOK)}`;
    const cache = join(dir, `cache ${command}`);
    const asked = { ...built, env: { ...built.env, NODE_OPTIONS: options, XDG_CACHE_HOME: cache } };
    const { code, err } = run(asked, ...(command.startsWith("-") ? [command] : [command, mirror]));
    const loaded = [...err.matchAll(/^LOAD (.*)$/gm)].map(([, path]) => path!);
    const begun = ["cli/entry.mjs", "cli/main.js", "cli/part-script.js", "parts/start.script.js"];
    expect([code, loaded.sort()]).toEqual([0, begun]);
    expect(partsRunWith(cache)).toEqual(parts);
    const packages = [...err.matchAll(/^PACKAGE (.*)$/gm)].map(([, url]) => url!);
    // The client of the service is loaded with the first request.
    expect(packages.filter((url) => !url.includes("/undici/"))).toEqual([]);
  });

  it.each(["", "here"])("keep no code below the present folder, where HOME is %j", (home) => {
    const cwd = join(dir, `home ${home}`);
    mkdirSync(cwd);
    const env = { ...built.env, HOME: home, XDG_CACHE_HOME: undefined };
    expect(execFileSync(built.command, ["--version"], { cwd, env, encoding: "utf8" })).toMatch(/^mdmirror|^\d/);
    expect(readdirSync(cwd)).toEqual([]);
  });

  it("stand beside the licenses of the packages that they take in", () => {
    const text = readFileSync(join(DIST, "parts/LICENSES.txt"), "utf8");
    const { dependencies } = JSON.parse(readFileSync(join(CHECKOUT, "package.json"), "utf8"));
    for (const name of TAKEN_IN) expect(text).toContain(`${name} ${dependencies[name]}\n`);
    expect(text.match(/copyright/gi)?.length).toBeGreaterThanOrEqual(TAKEN_IN.length);
    expect(text.match(/Permission is hereby granted/g)).toHaveLength(TAKEN_IN.length);
  });

  it("hold a module once: whoever imports it by its own name gets that one", async () => {
    const [parts, module] = await Promise.all([ours("parts/start.js"), ours("state/unsafe-path.js")]);
    expect(module["UnsafePath"]).toBeTypeOf("function");
    expect(parts["state_unsafe_path_js$UnsafePath"]).toBe(module["UnsafePath"]);
  });

  it.each([
    ["links", "findLinks"],
    ["client", "createClient"],
    ["index", "openMirror"],
  ])("let a bundler take the library in: %s", (module, name) => {
    const outfile = join(dir, "bundled", `${module}.mjs`);
    const contents = `import { ${name} } from "./lib/${module}.js"; console.log(typeof ${name});`;
    const banner = { js: 'import { createRequire as cr } from "node:module"; const require = cr(import.meta.url);' };
    const options = { bundle: true, format: "esm", platform: "node", logLevel: "silent" } as const;
    buildSync({ ...options, stdin: { contents, resolveDir: DIST }, outfile, banner });
    expect(execFileSync(process.execPath, [outfile], { encoding: "utf8" })).toBe("function\n");
  });

  it("leave no import of dist without what it names", () => {
    const entryPoints = readdirSync(DIST, { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".js") && !file.startsWith("page/files"))
      .map((file) => join(DIST, file));
    expect(entryPoints.length).toBeGreaterThan(PARTS.length + 500);
    const options = { bundle: true, splitting: true, format: "esm", platform: "node", packages: "external" } as const;
    const { errors, warnings } = buildSync({ ...options, entryPoints, outdir: dir, write: false, logLevel: "silent" });
    expect([...errors, ...warnings].map(({ text, location }) => `${location?.file}: ${text}`)).toEqual([]);
  });
});
