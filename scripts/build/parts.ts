import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, normalize, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { makeScripts } from "./part-scripts.ts";

/**
 * Puts the modules that the commonest commands load into a few files, `dist/parts/`, because a start
 * pays for each module by itself. What stays of such a module hands on what its part exports, so
 * there is one of each, whoever imports it and from where.
 */

type Part = {
  readonly name: string;
  /** Modules that are loaded whenever the part is. What they import belongs to it too. */
  readonly entries: readonly string[];
};

/** ORDER: a part may import those before it. */
export const PARTS: readonly Part[] = [
  { name: "start", entries: ["cli/main.js"] },
  {
    name: "common",
    entries: [
      "cli/process-io.js",
      "cli/args.js",
      "cli/find-mirror.js",
      "cli/complain.js",
      "cli/json-line.js",
      "cli/show-attention.js",
      "app/mirror/config.js",
      "app/told/attention.js",
      "app/told/needs.js",
      "engine/run/standing.js",
      "state/history.js",
      "state/holds.js",
      "state/journal.js",
      "state/meta.js",
      "state/read-beside.js",
    ],
  },
  { name: "status", entries: ["cli/commands/status.js", "app/mirror/look.js", "cli/show-status.js"] },
  {
    name: "sync",
    entries: [
      "cli/commands/sync.js",
      "cli/tell-run.js",
      "app/by-hand/sync.js",
      "app/mirror/run.js",
      "app/mirror/with-mirror.js",
    ],
  },
];

/**
 * Packages whose JavaScript stands in the parts: better-sqlite3 alone has fifteen modules of the
 * older kind, a tenth of the time of `status`. Its binary stays in the package, which is a
 * dependency as before.
 */
export const TAKEN_IN = ["better-sqlite3", "p-queue", "ignore"] as const;

/** What modules of the older kind find around them, as far as those that are taken in ask for it. */
const FOR_OLDER_MODULES = `
const require = process.getBuiltinModule("node:module").createRequire(import.meta.url);
const betterSqlite3 = {
  get lib() {
    const lib = process.getBuiltinModule("node:path").dirname(require.resolve("better-sqlite3"));
    Object.defineProperty(this, "lib", { value: lib });
    return lib;
  },
};
`;

const STATIC = /^(?:import|export)\b[^;]*?\bfrom "(\.[^"]+)";/gm;
const DYNAMIC = /\bimport\("(\.[^"]+)"\)/g;
const BUILT_IN = /^import \{([^}]*)\} from "(node:[^"]+)";$/gm;
const EXPORTED = /^export (?:async )?(?:function\*?|const|let|class) ([\w$]+)|^export \{([^}]*)\}/gm;
/** Characters, about. */
const LINE = 120;
/** How a path below dist is written until it is known where it is read from. */
const BELOW = "dist:";

/** @param dist holds what tsc made @throws with what esbuild says, and for a module it cannot take */
export function joinParts(dist: string): void {
  mkdirSync(join(dist, "parts"));
  const homes = homesOf(dist);
  const exported = new Map([...homes.keys()].map((module) => [module, exportsOf(dist, module)]));
  for (const module of homes.keys()) writeFileSync(join(dist, module), prepared(dist, module, homes, exported));
  for (const { name } of PARTS) {
    const members = [...homes].flatMap(([module, home]) => (home === name ? [module] : []));
    writeFileSync(join(dist, "parts", `${name}.js`), bundled(dist, members, exported));
    for (const module of members) writeFileSync(join(dist, module), handedOn(module, name, exported));
  }
  writeFileSync(join(dist, "parts/LICENSES.txt"), licenses());
  const parts = PARTS.map(({ name }) => `parts/${name}.js`);
  for (const file of [...homes.keys(), ...parts]) placePaths(dist, file);
  makeScripts(
    join(dist, "parts"),
    PARTS.map(({ name }) => name),
  );
}

/** The part of each module that has one. */
function homesOf(dist: string): ReadonlyMap<string, string> {
  const homes = new Map<string, string>();
  const visit = (module: string, part: string) => {
    if (homes.has(module)) return;
    homes.set(module, part);
    for (const imported of namesIn(dist, module, STATIC)) visit(imported, part);
  };
  for (const { name, entries } of PARTS) for (const module of entries) visit(module, name);
  return homes;
}

function namesIn(dist: string, module: string, imports: RegExp): readonly string[] {
  const text = readFileSync(join(dist, module), "utf8");
  return [...text.matchAll(imports)].map(([, name]) => besideOf(module, name!));
}

const besideOf = (module: string, name: string): string => normalize(join(dirname(module), name));

type Exported = ReadonlyMap<string, readonly string[]>;

function exportsOf(dist: string, module: string): readonly string[] {
  const text = readFileSync(join(dist, module), "utf8");
  const names = [...text.matchAll(EXPORTED)].flatMap(([, one, list]) =>
    one !== undefined ? [one] : list!.split(",").map((part) => part.trim().replace(/^.* as /, "")),
  );
  return names.filter((name) => name !== "");
}

/** What a module's export is called in its part. */
const inPart = (module: string, name: string): string => `${module.replaceAll(/[^a-z0-9]/g, "_")}$${name}`;

/** The module as its part can hold it, beside others and in another folder. */
function prepared(dist: string, module: string, homes: ReadonlyMap<string, string>, exported: Exported): string {
  const text = readFileSync(join(dist, module), "utf8");
  if (/^export (?:default|\*)/m.test(text)) throw new Error(`${module} exports in a way that a part cannot hold`);
  return text
    .replaceAll(BUILT_IN, (_, names: string, name: string) => hadWithoutImport(name, names))
    .replaceAll(DYNAMIC, (_, name: string) => asked(besideOf(module, name), homes, exported))
    .replaceAll("import.meta.url", `new URL("../${module}", import.meta.url).href`);
}

/** Built-in modules of functions alone, which take so long to load that they wait for the first call. */
const AT_FIRST_CALL: ReadonlySet<string> = new Set(["node:crypto"]);

/** What is imported of a built-in module, without `import`, which evaluates every getter of it. */
function hadWithoutImport(name: string, names: string): string {
  const had = `process.getBuiltinModule("${name}")`;
  if (!AT_FIRST_CALL.has(name)) return `const {${names.replaceAll(/ as /g, ": ")}} = ${had};`;
  const functions = names.split(",").map((one) => {
    const [theirs, ours = theirs] = one.trim().split(" as ");
    return `const ${ours} = (...given) => (${ours}.had ??= ${had}.${theirs})(...given);`;
  });
  return functions.join("\n");
}

/** A module that is asked for while a command runs, as an object of its exports. */
function asked(module: string, homes: ReadonlyMap<string, string>, exported: Exported): string {
  const home = homes.get(module);
  if (home === undefined) return `import("${BELOW}${module}")`;
  const names = exported.get(module)!;
  const members = names.map((name) => `${name}: part.${inPart(module, name)}`);
  return `import("${BELOW}parts/${home}.js").then((part) => ({ ${members.join(", ")} }))`;
}

function bundled(dist: string, members: readonly string[], exported: Exported): string {
  // Asked for here: who finds dist/ made does without the tool.
  const { buildSync } = createRequire(import.meta.url)("esbuild") as typeof import("esbuild");
  const lines = members.map((module) => {
    const names = exported.get(module)!.map((name) => `${name} as ${inPart(module, name)}`);
    return names.length === 0 ? `import "./${module}";` : `export { ${names.join(", ")} } from "./${module}";`;
  });
  const { outputFiles } = buildSync({
    stdin: { contents: lines.join("\n"), resolveDir: dist },
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node22.22",
    packages: "external",
    alias: Object.fromEntries(TAKEN_IN.map((name) => [name, mainFileOf(name)])),
    define: { __dirname: "betterSqlite3.lib" },
    // Read, and held against what is kept of it, at each start. Names stay, and lines that a stack
    // can point to.
    minifyWhitespace: true,
    lineLimit: LINE,
    legalComments: "none",
    write: false,
    logLevel: "silent",
  });
  const { text } = outputFiles[0]!;
  return text.includes('__require("') ? `${FOR_OLDER_MODULES}${text}` : text;
}

/** Whose the code is that was taken in, and under which terms. */
function licenses(): string {
  return TAKEN_IN.map((name) => {
    const folder = packageFolder(mainFileOf(name));
    const { version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as { readonly version: string };
    const file = readdirSync(folder).find((found) => /^licen[cs]e/i.test(found));
    if (file === undefined) throw new Error(`${name} comes without the text of its license`);
    return `${name} ${version}\n\n${readFileSync(join(folder, file), "utf8").trim()}\n`;
  }).join("\n---\n\n");
}

const mainFileOf = (name: string): string => fileURLToPath(import.meta.resolve(name));

function packageFolder(file: string): string {
  let folder = dirname(file);
  while (!existsSync(join(folder, "package.json"))) folder = dirname(folder);
  return folder;
}

/** What is left where the module was. */
function handedOn(module: string, part: string, exported: Exported): string {
  const names = exported.get(module)!.map((name) => `${inPart(module, name)} as ${name}`);
  return `export { ${names.join(", ")} } from "${BELOW}parts/${part}.js";\n`;
}

function placePaths(dist: string, file: string): void {
  const text = readFileSync(join(dist, file), "utf8").replaceAll(/"dist:([^"]+)"/g, (_, module: string) => {
    if (!existsSync(join(dist, module))) throw new Error(`${file} imports ${module}, which is not there`);
    const path = relative(dirname(file), module);
    return `"${path.startsWith(".") ? path : `./${path}`}"`;
  });
  writeFileSync(join(dist, file), text);
}
