import { expect, test } from "vitest";
import { useRig } from "./rig.ts";

/**
 * Compares the output of each command with `outputs.txt`, in a folder with a conflict, a review and
 * a stopped deletion.
 */

const rig = useRig();

/** Folder `d` has more documents than one sync may delete without approval. */
const NAMES = ["a.md", "b.md", "c.md", "plan.md", ...Array.from({ length: 12 }, (_, n) => `d/${n}.md`)];

/** Replaces what differs from run to run: folders, addresses, ids, times and durations. */
function withoutVariableParts(line: string): string {
  return line
    .replaceAll(rig.dir, "DIR")
    .replaceAll(rig.url, "URL")
    .replaceAll(/\b(chg|doc|req|run|key|ws|fol|fld)_[0-9a-z]+/g, "$1_ID")
    .replaceAll(/\d{4}-\d\d-\d\d[T ]\d\d[:-]?\d\d([:-]?\d\d)?(\.\d+)?Z?/g, "TIME")
    .replaceAll(/\d+(\.\d)? (ms|s|min|h)\b( ago)?/g, "AGE")
    .replaceAll(/(?<=trash\/)\d{4}-\d\d-\d\d/g, "DATE")
    .replaceAll(/\b[0-9a-f]{7,}\b/g, "HEX");
}

const pages: string[] = [];

/** Runs a command in the folder and records its output. */
async function show(...argv: string[]): Promise<void> {
  const { code, out, err } = await rig.run(argv, { cwd: rig.root });
  const lines = [...out, ...err.map((line) => `! ${line}`)]
    .flatMap((text) => text.split("\n"))
    .map(withoutVariableParts);
  pages.push([`$ mdmirror ${argv.map(withoutVariableParts).join(" ")}`, ...lines, `exit ${code}`].join("\n"));
}

test("the output of the commands is this text", async () => {
  for (const path of NAMES) rig.createRemotely(path, `# ${path}\n\none\ntwo\nthree\n`);
  pages.push((await rig.init()).out.map(withoutVariableParts).join("\n"));
  await show("sync");

  editBothSides();
  await show("plan");
  await show("sync");
  for (const command of ["status", "conflicts", "verify", "list"]) await show(command);
  await show("why", "plan.md");
  await show("conflicts", "show", "plan.md");
  await show("diff", "plan.md");
  await show("resolve", "plan.md", "--mine");

  await show("log", "--path", "plan.md");
  await show("history", "plan.md");
  await show("show", "a.md@1");
  await show("restore", "a.md@1");
  await show("undo", "--dry-run");
  await show("undo", "--yes");
  await show("links", "check");
  await show("search", "unseen");
  await show("wait", "a.md");

  await show("protect", "c.md");
  rig.write("c.md", "for review\n");
  await show("sync");
  rig.pass(60_000);
  await show("sync");
  await show("reviews");
  await show("why", "c.md");
  await show("status");

  rig.remove("d");
  for (const command of ["sync", "status", "plan", "approve", "reject", "sync"]) await show(command);
  await show("unprotect", "c.md");

  for (const command of ["fix-names", "hooks", "trust", "pause"]) await show(command);
  await show("name", "notes");
  await rig.stopService();
  for (const command of ["sync", "status", "unlink"]) await show(command);
  await show("unlink", "--force");
  await show("status");
  await expect(`${pages.join("\n\n")}\n`).toMatchFileSnapshot("outputs.txt");
});

/** Edits some documents on one side, and one document on both. */
function editBothSides(): void {
  rig.write("a.md", "# a.md\n\nsee [plan](plan.md) and [none](none.md)\n");
  rig.write("new.md", "unseen\n");
  rig.editBoth("plan.md", "# plan.md\n\none\nmine\nthree\n", "# plan.md\n\none\ntheirs\nthree\n");
  rig.editRemotely("b.md", "# b.md\n\nedited\n");
}
