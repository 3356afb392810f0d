/**
 * `node scripts/homebrew.ts TARBALL URL HOMEPAGE`: prints the formula of Homebrew for the tarball
 * that `npm pack` made and that URL gives.
 */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { fillTemplate } from "./build/template.ts";
import { asksForHelp, tellUsage } from "./usage.ts";

/** @throws for a place of the template that `fields` does not fill */
export function formula(template: string, fields: Readonly<Record<string, string>>): string {
  // A string of Ruby.
  return fillTemplate(template, fields, (value) => value.replace(/["\\#]/g, "\\$&"));
}

if (import.meta.main) {
  const [tarball, url, homepage] = process.argv.slice(2);
  if (asksForHelp() || tarball === undefined || url === undefined || homepage === undefined) tellUsage(import.meta.url);
  else {
    const template = readFileSync(new URL("../config/homebrew/mdmirror.rb", import.meta.url), "utf8");
    const sha256 = createHash("sha256").update(readFileSync(tarball)).digest("hex");
    process.stdout.write(formula(template, { URL: url, HOMEPAGE: homepage, SHA256: sha256 }));
  }
}
