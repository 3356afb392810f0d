import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const ENTRY = fileURLToPath(new URL("../../src/cli/entry.mjs", import.meta.url));

/** A process that says that it is on `platform`, and fails when a second module is loaded. */
function runAs(platform: string): { readonly status: number | null; readonly out: string; readonly err: string } {
  const preload = `
    import { registerHooks } from "node:module";
    Object.defineProperty(process, "platform", { value: ${JSON.stringify(platform)} });
    registerHooks({ load(url, context, next) {
      if (url.startsWith("file:") && !url.endsWith("/entry.mjs")) throw new Error("loaded " + url);
      return next(url, context);
    } });`;
  const args = ["--import", `data:text/javascript,${encodeURIComponent(preload)}`, ENTRY, "--version"];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8", env: {} });
  return { status, out: stdout, err: stderr };
}

test("on Windows it says in one sentence what Windows lacks, before anything is loaded", () => {
  const { status, out, err } = runAs("win32");
  expect([status, out]).toEqual([2, ""]);
  expect(err).toMatch(/^mdmirror: runs on Linux and macOS, and not on Windows, [^.\n]+; run it in WSL 2\.\n$/);
  for (const missing of ["key", "links", "legal names", "holds open", "daemon", "login"])
    expect(err).toContain(missing);
});

test("on other systems it loads the program", () => {
  const { status, err } = runAs("linux");
  expect([status, err]).toEqual([1, expect.stringMatching(/loaded .*\/src\/cli\/main\.ts/)]);
});
