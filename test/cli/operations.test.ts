import { afterAll, beforeAll, describe, expect, test } from "vitest";
import * as z from "zod";
import { COMMANDS } from "../../src/cli/table.ts";
import { type Mirror, openMirror } from "../../src/lib/index.ts";
import { TOOLS } from "../../src/mcp/table.ts";
import { DECLARED, type OperationName } from "../../src/mirror/operations/declared/table.ts";
import type { Declaration, ReadDeclaration } from "../../src/mirror/operations/define.ts";
import { listOptionFields, makeInputSchema } from "../../src/mirror/operations/read-input.ts";
import { OPERATIONS } from "../../src/mirror/operations/table.ts";
import { ACTIONS } from "../../src/ui/actions.ts";
import { type Agent, startAgent } from "../mcp/rig.ts";
import { useRigOfFile } from "./rig.ts";

/** The command, the tool, the library method and the page of an operation match its declaration. */

/** The web pages do not show or change the protection of a document. */
const WITHOUT_PAGE: readonly OperationName[] = ["protect", "unprotect"];
const NAMES = Object.keys(DECLARED) as OperationName[];
const READS = ["conflicts", "diff", "history", "reviews", "show", "verify", "wait"] as const;
type ReadName = (typeof READS)[number];
type WriteName = Exclude<OperationName, ReadName>;
const WRITES = NAMES.filter((name): name is WriteName => DECLARED[name].access === "write");
function inCase(name: string, sign: string): string {
  return name.replace(/[A-Z]/g, (letter) => `${sign}${letter.toLowerCase()}`);
}

/** A dry run of each operation, for a document whose versions the caller has read. */
const DRY_RUNS: { readonly [Name in WriteName]: DryRun } = {
  approve: { path: "a.md", argv: [], input: {} },
  protect: { path: "a.md", argv: ["a.md"], input: { paths: ["a.md"] } },
  reject: { path: "a.md", argv: [], input: {} },
  resolve: { path: "c.md", argv: ["c.md", "--mine"], input: { paths: ["c.md"], way: "mine" } },
  undo: { path: "a.md", argv: [], input: {} },
  unprotect: { path: "a.md", argv: ["a.md"], input: { paths: ["a.md"] } },
  restore: { path: "a.md", argv: ["a.md@1"], input: { paths: ["a.md"], n: 1 } },
};

/** A call of each operation that writes nothing. */
const CALLS: { readonly [Name in ReadName]: Pick<DryRun, "argv" | "input"> } = {
  conflicts: { argv: [], input: {} },
  diff: { argv: ["a.md@1"], input: { path: "a.md", n: 1 } },
  history: { argv: ["a.md"], input: { path: "a.md" } },
  reviews: { argv: [], input: {} },
  show: { argv: ["a.md@1"], input: { path: "a.md", n: 1 } },
  verify: { argv: [], input: {} },
  wait: { argv: ["a.md"], input: { paths: ["a.md"] } },
};
type DryRun = { readonly path: string; readonly argv: readonly string[]; readonly input: object };

/** Returns the versions that an agent must have read before that operation. */
async function seenBy(name: WriteName): Promise<object> {
  if (name === "resolve") return (await agent.call("show_conflict", { path: "c.md" })).facts.expected;
  return { local: (await mirror.history({ path: "a.md" })).versions.at(-1)!.sha256 };
}

const rig = useRigOfFile();
let agent: Agent;
let mirror: Mirror;
beforeAll(async () => {
  for (const path of ["a.md", "c.md"]) rig.write(path, "first\n");
  expect((await rig.init()).code).toBe(0);
  rig.editRemotely("c.md", "theirs\n");
  for (const path of ["a.md", "c.md"]) rig.write(path, "second\n");
  expect((await rig.run(["sync"], { cwd: rig.root })).code).toBe(3);
  agent = await startAgent(rig);
  mirror = await openMirror(rig.root, { env: { XDG_STATE_HOME: rig.stateHome } });
});
afterAll(async () => {
  await mirror.close();
  await agent.leave();
});

/** Returns true if agents have no tool for the operation. */
function isForPeople(name: OperationName): boolean {
  const declared: Declaration | ReadDeclaration = DECLARED[name];
  return declared.access === "write" && declared.isForPeople === true;
}

describe.each(NAMES)("%s", (name) => {
  const declared = DECLARED[name];

  test("every front end has it, with its fields", async () => {
    const entry = COMMANDS.find((one) => one.name === name)!;
    expect(entry.summary).toBe(declared.summary);
    const { command } = await entry.load();
    expect(command.about.slice(0, declared.about.length)).toEqual(declared.about);
    expect(Object.keys(command.options)).toEqual(
      expect.arrayContaining(listOptionFields(declared).map((field) => inCase(field.name, "-"))),
    );
    const fields = Object.keys(makeInputSchema(declared).shape).filter(
      (field) => !(name === "restore" && field === "asOf"),
    );
    const tools = TOOLS.filter((one) => one.name === name);
    expect(tools.map(({ effect }) => effect === "reads")).toEqual(
      isForPeople(name) ? [] : [declared.access === "read"],
    );
    for (const { input } of tools)
      expect(Object.keys(input)).toEqual(expect.arrayContaining(fields.map((field) => inCase(field, "_"))));
    expect((await OPERATIONS[name]()).declared).toBe(declared);
    expect(mirror[name]).toBeTypeOf("function");
    const hasAction = declared.access === "write" && !WITHOUT_PAGE.includes(name);
    expect(ACTIONS.some((action) => action.operation === name)).toBe(hasAction);
  });
});

describe.each(READS)("%s", (name) => {
  const declared: ReadDeclaration = DECLARED[name];

  test("the command, the tool and the method return one result", async () => {
    const { argv, input } = CALLS[name];
    const method = mirror[name] as (given: object) => Promise<object>;
    const whole: unknown = declared.result.parse(await method(input));
    const contents: readonly string[] = declared.contents ?? [];
    const facts: unknown = JSON.parse(
      JSON.stringify(whole, (member, value: unknown) => (contents.includes(member) ? undefined : value)),
    );
    const printed = await rig.run([name, ...argv, "--json"], { cwd: rig.root });
    expect(JSON.parse(printed.out[0]!)).toEqual(facts);
    expect((await agent.call(name, { ...input })).facts).toMatchObject(facts as object);
  });
});

describe.each(WRITES)("%s", (name) => {
  const declared = DECLARED[name];

  test("the command, the tool and the method return one result", async () => {
    const { argv, input } = DRY_RUNS[name];
    const printed = await rig.run([name, ...argv, "--dry-run", "--json"], { cwd: rig.root });
    const fromCommand: unknown = JSON.parse(printed.out[0]!);
    const fromMethod: unknown = await mirror[name]({ ...input, dryRun: true } as never);
    expect(fromMethod).toEqual(fromCommand);
    if (!isForPeople(name)) {
      const { facts } = await agent.call(name, { ...input, dry_run: true, expected: await seenBy(name) });
      expect(facts).toEqual(fromCommand);
    }
    const whole = z.strictObject({ ...declared.result.shape, sync: z.null() });
    expect(whole.parse(fromMethod)).toEqual(fromCommand);
  });
});

describe.each(WRITES.filter((name) => !isForPeople(name)))("%s", (name) => {
  test("a version that the caller did not see changes nothing", async () => {
    const { path, input } = DRY_RUNS[name];
    const seen = await seenBy(name);
    const [first] = Object.keys(seen) as [string];
    const stale = { ...input, expected: { ...seen, [first]: "0".repeat(64) } };
    const refused = await agent.call(name, stale);
    expect(refused.facts).toMatchObject({ error: { code: "stale" }, changed: [first] });
    await expect(mirror[name](stale as never)).rejects.toMatchObject({ kind: "usage", code: "stale" });
    expect(rig.read(path)).toBe("second\n");
  });
});

test("the tools offer only what an agent can name the versions of: one document", () => {
  const { restore, resolve } = Object.fromEntries(TOOLS.map(({ name, input }) => [name, z.strictObject(input)]));
  const [one, two] = [["a.md"], ["a.md", "b.md"]];
  const expected = { local: null };
  expect(restore!.safeParse({ paths: one, expected }).success).toBe(true);
  for (const input of [{ paths: two }, { paths: one, as_of: "2h" }])
    expect(restore!.safeParse({ ...input, expected }).success).toBe(false);
  const versions = { mine: null, theirs: null, base: null };
  const choice = { way: "mine", expected: versions };
  expect(resolve!.safeParse({ ...choice, paths: one }).success).toBe(true);
  for (const input of [{ paths: two }, {}]) expect(resolve!.safeParse({ ...choice, ...input }).success).toBe(false);
});

test("a dry run of resolve answers stale, and syncs nothing, if the service has a newer version", async () => {
  const expected = await seenBy("resolve");
  rig.editRemotely("c.md", "newer\n");
  const { facts } = await agent.call("resolve", { paths: ["c.md"], way: "mine", dry_run: true, expected });
  expect(facts).toMatchObject({ error: { code: "stale" }, changed: ["theirs"] });
});
