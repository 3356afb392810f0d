/**
 * Checks that modules import only the modules that they may import, and that each package is
 * imported only where it may be. Prints each breach as `file:line what`. Exit 1 on any.
 */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize, relative } from "node:path";
import { fileURLToPath } from "node:url";

/** Scripts that run in a browser. */
const ISLANDS = "page/islands";

const MARKDOWN = ["markdown/outline", "markdown/merge", "markdown/search", "markdown/links"];
/** Modules that both the client and the service may import; the two never import each other. */
const SHARED = ["contract", "common", ...MARKDOWN];
const ADAPTED = [...SHARED, "mirror/model", "mirror/planner", "mirror/ports"];

/**
 * Module → the modules that it may import. A file belongs to the module with the longest matching
 * path.
 */
const LAYERS: Readonly<Record<string, readonly string[]>> = {
  contract: [],
  // Loads zod, which would slow down the start of the client's commands. Its types may be imported:
  // see `TYPES_FOR_ALL`.
  "contract/api": ["contract"],
  common: ["contract"],
  "markdown/outline": [],
  "markdown/merge": ["markdown/outline"],
  "markdown/search": ["markdown/outline"],
  "markdown/links": ["contract", "markdown/outline"],
  conformance: ["contract", "common"],
  page: SHARED,
  [ISLANDS]: ["contract", "common", "page"],
  "mirror/model": ["contract", "common"],
  "mirror/planner": ["contract", "common", "markdown/merge", "mirror/model"],
  "mirror/ports": ["contract", "common", "mirror/model"],
  "mirror/local": ADAPTED,
  "mirror/remote": ADAPTED,
  "mirror/state": ADAPTED,
  "mirror/engine": ADAPTED,
  mirror: [...ADAPTED, "mirror/local", "mirror/remote", "mirror/state", "mirror/engine"],
  service: [...SHARED, "contract/api", "page"],
  ui: [...ADAPTED, "page", "mirror"],
  mcp: [...ADAPTED, "mirror"],
  lib: [...ADAPTED, "mirror", "service"],
  cli: [...ADAPTED, "mirror", "service", "conformance", "ui", "mcp"],
};

/** Modules whose types every module may import. */
const TYPES_FOR_ALL = ["contract/api"];

const DECLARED = ["mirror/operations/define.ts", "mirror/operations/read-input.ts", "mirror/operations/declared"];

/** Package → folders or files of `src/` that may import it. */
const HOMES: Readonly<Record<string, readonly string[]>> = {
  "@lezer/markdown": ["markdown/links"],
  "@modelcontextprotocol/server": ["mcp"],
  zod: ["mcp", "contract/api", "service", ...DECLARED],
  "better-sqlite3": ["service", "mirror/state", "common/statement.ts"],
  fastify: ["ui", "service/http"],
  idiomorph: [ISLANDS],
  "@codemirror/commands": [ISLANDS],
  "@codemirror/merge": [ISLANDS],
  "@codemirror/state": [ISLANDS],
  "@codemirror/view": [ISLANDS],
  undici: ["mirror/remote"],
  "eventsource-parser": ["mirror/remote"],
  "p-queue": ["mirror/remote"],
  chokidar: ["mirror/local"],
  ignore: ["mirror/local"],
  pg: ["service/store/postgres"],
  re2js: ["markdown/search"],
  diff3: ["markdown/merge/lines.ts"],
  "markdown-it": ["page/render-markdown.ts"],
  "sanitize-html": ["page/render-markdown.ts"],
};

/**
 * File → the only file outside of its module that may import it, because it opens all connections.
 */
const GATES: Readonly<Record<string, string>> = {
  "mirror/remote/wire.ts": "mirror/trust/connect.ts",
  "mirror/remote/client.ts": "mirror/trust/connect.ts",
};

/** Calls that turn a string into HTML without escaping it, which only sanitised content may use. */
const RAW_HTML = /\b(?:sanitised|new Html)\(/;
const RAW_HTML_HOMES: readonly string[] = ["page/html.ts", "page/markdown.ts"];

/** Casts to a trusted address, which only one file may make. */
const TRUSTS = /\bas TrustedOrigin\b/;
const TRUSTER = "mirror/trust/gate.ts";

/**
 * Pure modules, with the modules of Node that they may import. All other modules may import any.
 */
const PURE_BUILTINS: Readonly<Record<string, readonly string[]>> = {
  contract: ["node:crypto"],
  "contract/api": [],
  "markdown/outline": [],
  "markdown/merge": [],
  "markdown/search": [],
  "markdown/links": [],
  [ISLANDS]: [],
  "mirror/model": ["node:crypto", "node:buffer", "node:zlib"],
  "mirror/planner": ["node:crypto"],
  "mirror/ports": [],
  "mirror/engine": [],
};

/** Calls that read a clock or random numbers, which pure modules and the engine must not make. */
const IMPURE = /\b(Date\.now|new Date\(\)|performance\.now|Math\.random|setTimeout|setInterval|process\.)/;

const src = fileURLToPath(new URL("../src", import.meta.url));
const IMPORT = /(?:^|\n)\s*(?:import|export)\s[^;]*?from\s+"([^"]+)"|import\("([^"]+)"\)|(?:^|\n)import\s+"([^"]+)"/g;

export function checkFile(file: string, text: string): string[] {
  const breaches: string[] = [];
  const layer = layerOf(file);
  const allowed = LAYERS[layer];
  if (allowed === undefined) return [`${file}:1 is in no layer`];
  for (const match of text.matchAll(IMPORT)) {
    const target = match[1] ?? match[2] ?? match[3]!;
    const line = text.slice(0, match.index + match[0].length).split("\n").length;
    const isOfTypes = /^\s*import type\s/.test(match[0]);
    const breach = breachOf(file, layer, isOfTypes ? [...allowed, ...TYPES_FOR_ALL] : allowed, target);
    if (breach !== null) breaches.push(`${file}:${line} ${breach}`);
  }
  if (TRUSTS.test(text) && file !== TRUSTER)
    breaches.push(`${file}:1 makes a trusted address, which ${TRUSTER} alone may`);
  if (RAW_HTML.test(text) && !RAW_HTML_HOMES.includes(file))
    breaches.push(`${file}:1 makes HTML of text, which ${RAW_HTML_HOMES.join(" and ")} alone may`);
  const builtins = PURE_BUILTINS[layer];
  if (builtins !== undefined && layer !== ISLANDS) {
    for (const [index, line] of text.split("\n").entries()) {
      const code = line.replace(/\/\/.*|\/?\*.*/, "");
      if (IMPURE.test(code)) breaches.push(`${file}:${index + 1} reads clock, chance or process in a pure layer`);
    }
  }
  return breaches;
}

const MODULES = Object.keys(LAYERS).sort((a, b) => b.length - a.length);

function layerOf(file: string): string {
  return MODULES.find((module) => file.startsWith(`${module}/`)) ?? "none";
}

function breachOf(file: string, layer: string, allowed: readonly string[], target: string): string | null {
  if (target.startsWith(".")) {
    const imported = normalize(join(dirname(file), target));
    if (imported.startsWith("..")) return `imports ${target}, outside src/`;
    const other = layerOf(imported);
    const gate = GATES[imported];
    if (gate !== undefined && other !== layer && file !== gate) return `imports ${imported}, which ${gate} alone may`;
    return other === layer || allowed.includes(other) ? null : `imports ${other}/, which ${layer}/ must not`;
  }
  if (target.startsWith("node:")) {
    const builtins = PURE_BUILTINS[layer];
    return builtins === undefined || builtins.includes(target) ? null : `imports ${target}, and ${layer}/ is pure`;
  }
  const name = target
    .split("/")
    .slice(0, target.startsWith("@") ? 2 : 1)
    .join("/");
  const homes = HOMES[name];
  if (homes === undefined) return `imports package ${name}, which has no home`;
  return homes.some((home) => file.startsWith(home))
    ? null
    : `imports package ${name}, whose home is ${homes.join(", ")}`;
}

export function checkTree(): { files: number; breaches: string[] } {
  const files = readdirSync(src, { recursive: true, encoding: "utf8" }).filter((name) => /\.(ts|mjs)$/.test(name));
  return {
    files: files.length,
    breaches: files.flatMap((name) => checkFile(name, readFileSync(join(src, name), "utf8"))),
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { files, breaches } = checkTree();
  for (const breach of breaches) console.log(`${relative(process.cwd(), src)}/${breach}`);
  console.log(`layers: ${files} files, ${breaches.length} breaches`);
  process.exit(breaches.length === 0 ? 0 : 1);
}
