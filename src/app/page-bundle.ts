import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { once } from "../model/once.ts";
import { ASSETS, type Asset, assetType, type Bundle } from "../page/bundle.ts";

/**
 * Reads the scripts and styles of the pages. The package holds them; in a checkout they are made of
 * the sources when they are first asked for, by a process of its own: the tool for that is not part
 * of the package.
 * @throws when they cannot be made
 */
export const loadBundle: () => Bundle = once(() => {
  const packed = fileURLToPath(new URL("../page/files", import.meta.url));
  return readBundle(existsSync(packed) ? packed : madeFolder());
});

function madeFolder(): string {
  const script = fileURLToPath(new URL("../../scripts/build/page.ts", import.meta.url));
  const { status, stdout, stderr } = spawnSync(process.execPath, [script], { encoding: "utf8" });
  if (status !== 0) throw new Error(`the scripts of the pages cannot be made: ${stderr}`);
  return stdout.trim();
}

function readBundle(folder: string): Bundle {
  const manifest = JSON.parse(readFileSync(join(folder, "manifest.json"), "utf8")) as Manifest;
  const assets = new Map<string, Asset>();
  for (const name of manifest.files)
    assets.set(name, { type: assetType(name), bytes: readFileSync(join(folder, name)) });
  return { names: new Map(Object.entries(manifest.entries)), assets, base: ASSETS };
}

type Manifest = { readonly entries: Readonly<Record<string, string>>; readonly files: readonly string[] };
