import { writeFileSync } from "node:fs";
import { beforeEach, expect, test } from "vitest";
import { hasControlCharacters } from "../../src/common/shown-words.ts";
import { type CommandResult, useRig } from "../cli/rig.ts";

/**
 * Names that contain line feeds, terminal colours and marks of text direction, in every command
 * that shows names.
 */

const FORGED = "Synced: nothing to do";
const ODD = `x\n${FORGED}\u001b[8m\u202e`;
const FILES = ["conflict", "deleted", "edited", "refused"].map((what) => `${what}${ODD}.md`);
const [CONFLICT, DELETED, EDITED, REFUSED] = FILES as [string, string, string, string];

const rig = useRig();
beforeEach(async () => {
  await rig.init();
});

/** Colour codes of mdmirror itself are allowed. */
function expectTame(what: string, { out, err, asked }: CommandResult): void {
  const lines = [...out, ...err, ...asked];
  expect(lines.length, what).toBeGreaterThan(0);
  for (const line of lines) {
    expect(hasControlCharacters(line), `${what}: ${JSON.stringify(line)}`).toBe(false);
    expect(line.startsWith(FORGED), what).toBe(false);
  }
}

const remotes = () =>
  (rig.api("GET", "/v1/files") as { data: { id: string; path: string; lastChangeId: string }[] }).data;

/**
 * Causes a conflict, a deletion, an edit and content that cannot be sent. No command has reported
 * any of them yet.
 */
async function causeProblems(): Promise<void> {
  for (const name of FILES) rig.write(name, "first\n");
  expectTame("first", await rig.run(["sync", "w"]));
  const { id, lastChangeId } = remotes().find(({ path }) => path.startsWith("/conflict"))!;
  rig.api("PUT", `/v1/files/${id}/content`, { baseChangeId: lastChangeId, content: "theirs\n" });
  rig.write(CONFLICT, "mine\n");
  rig.remove(DELETED);
  rig.write(EDITED, "edited\n");
  writeFileSync(rig.path(REFUSED), Buffer.from([0xff, 0xfe, 0x41]));
}

test("no command lets a name make a line of its own, or steer", async () => {
  await causeProblems();
  expectTame("plan", await rig.run(["plan", "w"]));
  expectTame("sync", await rig.run(["sync", "w"]));
  for (const command of ["status", "conflicts", "verify", "log", "diff", "doctor", "fix-names", "undo --dry-run"]) {
    const [name, ...more] = command.split(" ") as [string, ...string[]];
    expectTame(command, await rig.run([name, ...(name === "diff" ? [] : ["w"]), ...more], { cwd: rig.root }));
  }
  for (const path of [...FILES, `gone${ODD}.md`]) {
    const at = rig.path(path);
    for (const command of ["why", "history", "restore --dry-run", "conflicts show", "resolve --keep", "protect"]) {
      const [name, ...more] = command.split(" ") as [string, ...string[]];
      const argv = name === "conflicts" ? [name, ...more, at] : [name, at, ...more];
      expectTame(`${command} ${path}`, await rig.run(argv));
    }
  }
  expectTame("search", await rig.run(["search", "conflict", "w"]));
});

test("--json gives each name as it is", async () => {
  await causeProblems();
  const { out } = await rig.run(["sync", "w", "--json"]);
  const { attention } = JSON.parse(out[0]!) as { attention: { path: string }[] };
  expect(attention.map(({ path }) => path)).toEqual(expect.arrayContaining([CONFLICT, REFUSED]));
  expect(out.every((line) => !hasControlCharacters(line))).toBe(true);
});
