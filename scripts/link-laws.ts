/**
 * `node scripts/link-laws.ts [--runs 5000]`: the laws of links over every text of the corpora beside
 * the checkout, and over generated ones. Each file comes back byte for byte, and each link that
 * resolved resolves to the same after every move. Exit 1 when one does not hold.
 */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { runCheck } from "./run-check.ts";
import { CORPORA, ROOT } from "./soak/sync-fixture.ts";

const { values } = parseArgs({ options: { runs: { type: "string", default: "5000" } } });
const folder = mkdtempSync(join(tmpdir(), "mdmirror-link-laws-"));
let held = true;

/** Runs a file of the laws, and shows what it counted. */
async function prove(what: string, file: string): Promise<void> {
  const args = ["node_modules/vitest/vitest.mjs", "run", "--config", "config/vitest.config.ts"];
  const check = { name: what, shows: "", look: "", command: process.execPath, args: [...args, file] };
  const { ok, said, seconds } = await runCheck(check, ROOT, "pipe");
  held &&= ok;
  console.log(`${ok ? "ok  " : "FAIL"}  ${what}, ${seconds.toFixed(0)} s`);
  for (const line of ok ? said.split("\n").filter((one) => /\d+ (?:texts|moves)\b/.test(one)) : [said])
    console.log(`      ${line.trim()}`);
}

try {
  process.env["NO_COLOR"] = "1";
  for (const archive of ["rust-book.tar.gz", "tldr.tar.xz"]) {
    if (!existsSync(join(CORPORA, archive))) {
      console.log(`      ${archive} is not in ../shared/corpora`);
      continue;
    }
    const texts = join(folder, archive);
    mkdirSync(texts);
    execFileSync("tar", ["xf", join(CORPORA, archive), "-C", texts, "--strip-components=1"]);
    process.env["MDMIRROR_LINK_CORPUS"] = texts;
    await prove(archive, "test/links/corpus.test.ts");
  }
  process.env["MDMIRROR_LINK_RUNS"] = values.runs;
  await prove(`${values.runs} generated texts for each law`, "test/links/laws.property.test.ts");
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.exitCode = held ? 0 : 1;
