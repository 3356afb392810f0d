import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { ASSETS, type Asset, findAssetType, type Bundle } from "./bundle.ts";

let bundle: Promise<Bundle> | null = null;

/**
 * Reads the scripts and styles of the pages, which the npm package contains. In a checkout, a
 * script in a separate process builds them on first use, and first installs a missing build tool.
 * @throws Error if the build fails; the next call tries again
 */
export function loadBundle(): Promise<Bundle> {
  bundle ??= loadFiles().catch((error: unknown) => {
    bundle = null;
    throw error;
  });
  return bundle;
}

async function loadFiles(): Promise<Bundle> {
  const packedFolder = fileURLToPath(new URL("../page/files", import.meta.url));
  return readBundle(existsSync(packedFolder) ? packedFolder : await buildFolder());
}

async function buildFolder(): Promise<string> {
  const script = fileURLToPath(new URL("../../scripts/build/page.ts", import.meta.url));
  const child = spawn(process.execPath, [script], { stdio: ["ignore", "pipe", "pipe"] });
  const childEnd = once(child, "close");
  const [output, why] = await Promise.all([text(child.stdout), text(child.stderr), childEnd]);
  if (child.exitCode !== 0) throw new Error(`the scripts of the pages cannot be made: ${why}`);
  return output.trim();
}

function readBundle(folder: string): Bundle {
  const manifest = JSON.parse(readFileSync(join(folder, "manifest.json"), "utf8")) as BundleManifest;
  const assets = new Map<string, Asset>();
  for (const name of manifest.files)
    assets.set(name, { type: findAssetType(name), bytes: readFileSync(join(folder, name)) });
  return { names: new Map(Object.entries(manifest.entries)), assets, base: ASSETS };
}

type BundleManifest = { readonly entries: Readonly<Record<string, string>>; readonly files: readonly string[] };
