import { spawn } from "node:child_process";
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { text } from "node:stream/consumers";
import { join } from "node:path";
import { CHECKOUT, type Installed } from "./installed.ts";

/** A user's project that has the package installed. */

export const EXAMPLES = ["client", "halt", "links", "merge", "mirror", "watch"];

/** Makes a project with the examples. Returns its folder. */
export function makeConsumer({ folder, dir }: Installed, name = "consumer"): string {
  const project = join(dir, name);
  const modules = join(project, "node_modules");
  mkdirSync(join(modules, "@types"), { recursive: true });
  symlinkSync(folder, join(modules, "mdmirror"));
  symlinkSync(join(CHECKOUT, "node_modules", "@types", "node"), join(modules, "@types", "node"));
  symlinkSync(join(CHECKOUT, "node_modules", "undici-types"), join(modules, "undici-types"));
  writeFileSync(join(project, "package.json"), JSON.stringify({ name: "consumer", type: "module" }));
  cpSync(join(CHECKOUT, "test", "lib", "examples"), project, { recursive: true });
  return project;
}

/**
 * Runs a file of the project with nothing but Node on the PATH. Returns its exit code and output.
 */
export function runIn(project: string, { env }: Installed, file: string): Promise<readonly [number | null, string]> {
  // A working folder for each file.
  const cwd = join(project, "runs", file);
  mkdirSync(cwd, { recursive: true });
  return ended(process.execPath, [join(project, file)], { cwd, env: { ...env, HOME: cwd } });
}

/** Checks the types as strictly as possible, with those that the package declares. */
export function checkTypes(project: string): Promise<readonly [number | null, string]> {
  const file = join(project, "tsconfig.json");
  const compilerOptions = {
    target: "es2024",
    lib: ["es2024"],
    module: "node16",
    types: ["node"],
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: false,
    noEmit: true,
  };
  writeFileSync(file, JSON.stringify({ compilerOptions, include: ["*.ts"] }));
  return ended(join(CHECKOUT, "node_modules", ".bin", "tsc"), ["-p", file, "--singleThreaded"], {
    cwd: project,
    env: { ...process.env, GOGC: "off" },
  });
}

async function ended(
  command: string,
  args: readonly string[],
  options: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
): Promise<readonly [number | null, string]> {
  const child = spawn(command, args, { ...options, stdio: ["ignore", "pipe", "pipe"] });
  const closed = new Promise<number | null>((resolve) => child.once("close", resolve));
  const said = await Promise.all([text(child.stdout), text(child.stderr)]);
  return [await closed, said.join("")];
}
