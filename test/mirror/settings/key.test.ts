import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { findKey } from "../../../src/mirror/settings/key.ts";
import type { TrustedOrigin } from "../../../src/mirror/trust/origin.ts";

test("the command that takes a key from other users is right for any name of a folder", () => {
  const dir = mkdtempSync(join(tmpdir(), "it's mine "));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  const folder = join(dir, ".mdmirror");
  mkdirSync(folder, { mode: 0o700 });
  const file = join(folder, "key");
  writeFileSync(file, "key_1\n");
  chmodSync(file, 0o644);
  const origin = { url: "https://files.example.org" } as TrustedOrigin;
  const found = findKey({ folder, keyFile: null, cwd: dir, env: {}, origin });
  const next = found.kind === "trouble" ? found.trouble.next : "";
  execFileSync("sh", ["-c", next.slice(0, next.indexOf("; if others"))]);
  expect(statSync(file).mode & 0o777).toBe(0o600);
});
