import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import { gzipSync } from "node:zlib";

/**
 * Options of the Debian package, which contains what `npm pack` packs, its dependencies, man pages
 * and completions.
 */

type DebianOptions = {
  /** Path of the checkout, ending with a slash. */
  readonly root: string;
  /** Folder for the package. */
  readonly out: string;
  readonly node: "bundled" | "system";
  /** True for no compression, for tests. */
  readonly fast: boolean;
  /** Result of `npm pack` of the checkout; null to run it first. */
  readonly tarball: string | null;
};

const ARCHITECTURES: Readonly<Partial<Record<NodeJS.Architecture, string>>> = { x64: "amd64", arm64: "arm64" };
const SHELLS = [
  ["bash", "usr/share/bash-completion/completions/mdmirror"],
  ["zsh", "usr/share/zsh/vendor-completions/_mdmirror"],
  ["fish", "usr/share/fish/vendor_completions.d/mdmirror.fish"],
] as const;

/**
 * Builds the package. Returns its path and its size in bytes.
 * @throws with the error output of the program that failed: npm, tar, dpkg-deb
 */
export function buildDebian(options: DebianOptions): { readonly file: string; readonly size: number } {
  const architecture = ARCHITECTURES[process.arch];
  if (process.platform !== "linux" || architecture === undefined)
    throw new Error(`there is no Debian package for ${process.platform} on ${process.arch}`);
  const work = mkdtempSync(join(tmpdir(), "mdmirror-debian-"));
  try {
    const stage = join(work, "stage");
    const lib = join(stage, "usr/lib/mdmirror");
    unpackProgram(options, work, lib);
    copyDependencies(options.root, lib);
    if (options.node === "bundled") {
      mkdirSync(join(lib, "bin"));
      cpSync(realpathSync(join(options.root, "node_modules/node/bin/node")), join(lib, "bin/node"));
    }
    addPrograms(options.root, stage, lib);
    addUnit(options.root, stage);
    addDocuments(options.root, stage, lib);
    const version = addControl(options, stage, architecture);
    return pack(options, stage, `mdmirror_${version}_${architecture}.deb`);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** Unpacks what npm packs, so that both packages contain the same program. */
function unpackProgram({ root, tarball }: DebianOptions, work: string, lib: string): void {
  mkdirSync(lib, { recursive: true });
  run("tar", ["-xzf", tarball ?? packProgram(root, work), "-C", lib, "--strip-components=1"], root);
}

/** Packs the program. Returns the path of the tarball. */
function packProgram(root: string, work: string): string {
  const packed = run("npm", ["pack", "--json", "--pack-destination", work], root);
  const [{ filename }] = Object.values(JSON.parse(packed)) as [{ readonly filename: string }];
  return join(work, filename);
}

/** Copies the dependencies of the checkout, which are those of the lock file. */
function copyDependencies(root: string, lib: string): void {
  type Locked = { readonly dev?: boolean; readonly devOptional?: boolean };
  const { packages } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as {
    readonly packages: Readonly<Record<string, Locked>>;
  };
  for (const [place, { dev, devOptional }] of Object.entries(packages)) {
    if (place === "" || dev === true || devOptional === true || /node_modules\/.*node_modules\//.test(place)) continue;
    cpSync(join(root, place), join(lib, place), { recursive: true, filter: (from) => isNeeded(from) });
  }
}

/** Returns false for the C sources of better-sqlite3, its binaries for other systems, and types. */
function isNeeded(file: string): boolean {
  if (/\/better-sqlite3\/(build|deps|src|binding\.gyp)$/.test(file)) return false;
  if (/\/node-addon-api$|\/\.[^/]+$/.test(file)) return false;
  const binary = /\/prebuilds\/([^/]+)\.node$/.exec(file);
  if (binary !== null) return binary[1] === `linux-${process.arch}`;
  return !/\.(d\.[cm]?ts|map)$|\/(test|tests|benchmarks?|docs|examples?)$/.test(file);
}

function addPrograms(root: string, stage: string, lib: string): void {
  const command = join(stage, "usr/bin/mdmirror");
  mkdirSync(dirname(command), { recursive: true });
  cpSync(join(root, "config/debian/mdmirror"), command);
  chmodSync(command, 0o755);
  for (const [shell, place] of SHELLS) {
    const entry = join(lib, "dist/cli/entry.mjs");
    put(join(stage, place), run(process.execPath, [entry, "completion", shell], root));
  }
}

/** Adds one unit for all linked folders of a user: `systemctl --user enable --now mdmirror`. */
function addUnit(root: string, stage: string): void {
  const template = readFileSync(join(root, "config/mdmirror.service"), "utf8");
  const fields: Readonly<Record<string, string>> = {
    ROOT: "all folders of mdmirror list",
    COMMAND: "/usr/bin/mdmirror watch --all",
    ENVIRONMENT: "",
  };
  const text = fillTemplate(template.replace(/^# Made by .*\n/, ""), fields);
  put(join(stage, "usr/lib/systemd/user/mdmirror.service"), text);
}

function addDocuments(root: string, stage: string, lib: string): void {
  const man = join(stage, "usr/share/man/man1");
  for (const page of readdirSync(join(lib, "dist/man")))
    put(join(man, `${page}.gz`), gzipSync(readFileSync(join(lib, "dist/man", page)), { level: 9 }));
  rmSync(join(lib, "dist/man"), { recursive: true });
  const documents = join(stage, "usr/share/doc/mdmirror");
  put(join(documents, "copyright"), readFileSync(join(root, "LICENSE")));
  put(join(documents, "changelog.gz"), gzipSync(readFileSync(join(root, ".github/CHANGELOG.md")), { level: 9 }));
}

/** Writes the control file. Returns the version. */
function addControl({ root, node }: DebianOptions, stage: string, architecture: string): string {
  const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    readonly version: string;
    readonly engines: { readonly node: string };
  };
  const files = readdirSync(stage, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  const bytes = files.reduce((sum, file) => sum + statSync(file).size, 0);
  const needed = manifest.engines.node.replace(/^>=/, "");
  const fields: Readonly<Record<string, string>> = {
    VERSION: manifest.version,
    ARCHITECTURE: architecture,
    SIZE: String(Math.ceil(bytes / 1024)),
    DEPENDS: node === "bundled" ? "libc6 (>= 2.28), libstdc++6" : `nodejs (>= ${needed}), libc6 (>= 2.28)`,
  };
  const template = readFileSync(join(root, "config/debian/control"), "utf8");
  put(join(stage, "DEBIAN/control"), fillTemplate(template, fields));
  const sums = files.map((file) => {
    const sum = createHash("md5").update(readFileSync(file)).digest("hex");
    return `${sum}  ${relative(stage, file)}\n`;
  });
  put(join(stage, "DEBIAN/md5sums"), sums.sort().join(""));
  return manifest.version;
}

function pack(options: DebianOptions, stage: string, name: string): { readonly file: string; readonly size: number } {
  // Sets the modes, which must not depend on the umask of the build.
  run("chmod", ["-R", "u=rwX,go=rX", stage], options.root);
  const file = join(resolve(options.out), name);
  mkdirSync(dirname(file), { recursive: true });
  const compression = options.fast ? ["-Znone"] : ["-Zxz"];
  run("dpkg-deb", ["--root-owner-group", ...compression, "--build", stage, file], options.root);
  return { file, size: statSync(file).size };
}

function put(file: string, content: string | Uint8Array): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
}

function run(command: string, args: readonly string[], cwd: string): string {
  const ended = spawnSync(command, args, { cwd, encoding: "utf8", maxBuffer: 1e8 });
  if (ended.status !== 0)
    throw new Error(`${command} ${args[0]} failed (${ended.status ?? ended.error?.message}): ${ended.stderr}`);
  return ended.stdout;
}

/**
 * Replaces each `{{NAME}}` of a template.
 * @throws if `fields` lacks a name
 */
function fillTemplate(template: string, fields: Readonly<Record<string, string>>): string {
  return template.replace(/\{\{([A-Z0-9]+)\}\}/g, (place, name: string) => {
    const value = fields[name];
    if (value === undefined) throw new Error(`nothing fills ${place}`);
    return value;
  });
}
