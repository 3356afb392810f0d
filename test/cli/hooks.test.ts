import { readFileSync, chmodSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { useHooksFixture, writeHooks } from "./hooks-fixture.ts";
import { ENTRY, keptCompiled } from "../program.ts";

const ALL = ["in-sync", "attention", "conflict", "stopped", "offline", "review-settled"];

const hooked = useHooksFixture();

describe("a sync", () => {
  test("calls the hooks of its folder once with what it changed, and never with content", async () => {
    const other = { ...hooked.recordingHook("in-sync"), mirrors: ["other", hooked.rig.dir] };
    writeHooks(hooked.rig, { all: { ...hooked.recordingHook(...ALL), mirrors: ["w"] }, other });
    expect((await hooked.run("sync", "w")).code).toBe(0);
    expect(hooked.heard()).toEqual([]);
    hooked.rig.write("b.md", "# secret words\n");
    await hooked.run("sync", "w");
    const [message, ...more] = hooked.heard();
    expect(more).toEqual([]);
    expect(message).toMatchObject({
      type: "in-sync",
      text: "mdmirror: w is in sync",
      data: { mirror: { name: "w", folder: hooked.rig.root }, state: "in-sync", test: false, items: [], more: 0 },
    });
    expect(message!.data.counts.changes).toMatchObject({ createdRemote: 1 });
    expect(JSON.stringify(message)).not.toMatch(/secret words/);
    await hooked.run("sync", "w");
    expect(hooked.heard()).toEqual([]);
  });

  test("is called for a new conflict with what to do, and for in-sync when the conflict is over", async () => {
    writeHooks(hooked.rig, { all: hooked.recordingHook(...ALL) });
    hooked.rig.write("a.md", "# mine\n\nother words\n");
    hooked.rig.editRemotely("a.md", "# theirs\n\nwords of theirs\n");
    expect((await hooked.run("sync", "w")).code).toBe(3);
    const [conflict, attention] = hooked.heard();
    expect(conflict).toMatchObject({ type: "conflict", text: "mdmirror: 1 new conflict in w: a.md" });
    expect(conflict!.data.items).toEqual([
      { path: "a.md", kind: "conflict", code: null, next: expect.stringContaining("mdmirror resolve a.md --mine") },
    ]);
    expect(attention).toMatchObject({ type: "attention" });
    await hooked.run("sync", "w");
    expect(hooked.events()).toEqual([]);
    await hooked.run("resolve", "w/a.md", "--mine", "--no-sync");
    await hooked.run("sync", "w");
    expect(hooked.events()).toEqual(["in-sync"]);
  });

  test("is called for a stop by a safety check", async () => {
    for (let n = 0; n < 20; n++) hooked.rig.write(`d/${n}.md`, `# ${n}\n`);
    writeHooks(hooked.rig, { all: hooked.recordingHook("stopped") });
    await hooked.run("sync", "w");
    hooked.rig.remove("d");
    expect((await hooked.run("sync", "w")).code).toBe(4);
    expect(hooked.heard()).toMatchObject([
      {
        type: "stopped",
        text: "mdmirror: w is stopped by a safety check: delete-budget-remote",
        data: { state: "stopped" },
      },
    ]);
  });

  test("is called once when the service is not reached", async () => {
    writeHooks(hooked.rig, { all: hooked.recordingHook(...ALL) });
    await hooked.rig.stopService();
    expect((await hooked.run("sync", "w")).code).toBe(5);
    expect(hooked.heard()).toMatchObject([
      { type: "offline", data: { items: [{ code: "offline", next: "mdmirror doctor" }] } },
    ]);
    await hooked.run("sync", "w");
    expect(hooked.events()).toEqual([]);
  });

  test("is called for a review that was decided", async () => {
    const { id } = hooked.rig.remote("a.md")!;
    hooked.rig.api("PATCH", `/v1/files/${id}`, { protected: true });
    writeHooks(hooked.rig, { all: hooked.recordingHook("review-settled") });
    hooked.rig.write("a.md", "# two\n\nmany words\n");
    await hooked.rig.run(["sync", "w"], { env: hooked.env(), terminal: true });
    expect(hooked.events()).toEqual([]);
    hooked.rig.service.admin.reviews.accept(hooked.rig.reviews()[0]!, null);
    await hooked.run("sync", "w");
    expect(hooked.heard()).toMatchObject([
      { text: "mdmirror: 1 review ended in w: a.md", data: { counts: { inReview: 0 } } },
    ]);
  });

  test("that a hook starts finds the folder free, and calls no hooks", async () => {
    const again = `'${process.execPath}' '${ENTRY}' sync '${hooked.rig.root}' --json > '${hooked.rig.dir}/again'; echo $? > '${hooked.rig.dir}/exit'`;
    writeHooks(hooked.rig, {
      again: {
        on: ["in-sync"],
        run: ["sh", "-c", `echo x >> '${hooked.calls}'; echo '# c' > '${hooked.rig.root}/c.md'; ${again}`],
      },
    });
    hooked.rig.write("b.md", "# b\n");
    const mine = { ...hooked.env(), ...keptCompiled(), XDG_RUNTIME_DIR: hooked.rig.dir };
    expect((await hooked.rig.run(["sync", "w"], { env: mine })).code).toBe(0);
    expect(readFileSync(join(hooked.rig.dir, "exit"), "utf8")).toBe("0\n");
    expect(JSON.parse(readFileSync(join(hooked.rig.dir, "again"), "utf8"))).toMatchObject({
      counts: { createdRemote: 1 },
    });
    expect(readFileSync(hooked.calls, "utf8")).toBe("x\n");
  });
});

describe("mdmirror hooks", () => {
  test("lists what is configured", async () => {
    const team = { ...hooked.recordingHook(), on: { offline: { debounce: "5m" } } };
    writeHooks(hooked.rig, { desk: { ...hooked.recordingHook("stopped"), mirrors: ["w"] }, team });
    const { code, out } = await hooked.run("hooks", "list");
    expect(out).toEqual([
      `desk: on stopped (after 5 s), for w: runs sh -c cat >> '${hooked.calls}'`,
      `team: on offline (after 5 min): runs sh -c cat >> '${hooked.calls}'`,
    ]);
    expect(code).toBe(0);
    const json = await hooked.run("hooks", "--json");
    expect(JSON.parse(json.out[0]!)).toMatchObject({
      file: join(hooked.rig.configHome, "mdmirror/hooks.json"),
      hooks: [
        { name: "desk", on: [{ event: "stopped", debounceSeconds: 5 }], mirrors: ["w"] },
        { name: "team", run: ["sh", "-c", `cat >> '${hooked.calls}'`], timeoutSeconds: 30 },
      ],
    });
  });

  test("test calls a hook with an event that did not happen", async () => {
    writeHooks(hooked.rig, { all: hooked.recordingHook(...ALL) });
    expect((await hooked.run("hooks", "test", "all", "--event", "conflict")).out[0]).toMatch(
      /^all: ran for conflict, in \d+ ms$/,
    );
    expect(hooked.heard()).toMatchObject([
      { type: "conflict", text: "(test) mdmirror: 1 new conflict in w: example.md", data: { test: true } },
    ]);
    expect(JSON.parse((await hooked.run("hooks", "test", "all", "--json")).out[0]!)).toMatchObject({
      event: "in-sync",
      state: "done",
    });
  });
});

describe("a hook that fails", () => {
  test("leaves the exit code, and is reported by sync and by its test", async () => {
    writeHooks(hooked.rig, { bad: { on: ["in-sync"], run: ["sh", "-c", "echo oops; exit 1"] } });
    hooked.rig.write("b.md", "# b\n");
    const { code, out, err } = await hooked.run("sync", "w");
    expect(out).toHaveLength(1);
    expect(err).toEqual(['mdmirror: the hook "bad" failed on in-sync: it ended with 1: oops']);
    expect(code).toBe(0);
    const failed = await hooked.run("hooks", "test", "bad");
    expect([failed.code, failed.err[0]]).toEqual([3, 'mdmirror: the hook "bad" failed on in-sync: it ended with 1']);
  });
});

describe("hooks of others", () => {
  test("in a folder's configuration are refused, and nothing is run", async () => {
    const hooks = { evil: hooked.recordingHook("in-sync") };
    hooked.rig.write(".mdmirror/hooks.json", JSON.stringify({ hooks }));
    hooked.rig.write("b.md", "# b\n");
    await hooked.run("sync", "w");
    const config = JSON.parse(hooked.rig.read(".mdmirror/config.json")) as object;
    hooked.rig.write(".mdmirror/config.json", JSON.stringify({ ...config, hooks }));
    const { code, err } = await hooked.run("sync", "w");
    expect(err[0]).toContain(
      '"hooks" is not allowed in a folder: hooks are read only from ~/.config/mdmirror/hooks.json',
    );
    expect(code).toBe(2);
    expect(hooked.events()).toEqual([]);
  });

  test("in a file that others can write are not run, and the sync continues", async () => {
    writeHooks(hooked.rig, { evil: hooked.recordingHook("in-sync") });
    chmodSync(join(hooked.rig.configHome, "mdmirror/hooks.json"), 0o666);
    hooked.rig.write("b.md", "# b\n");
    const { code, err } = await hooked.run("sync", "w");
    expect(err[0]).toContain("can be written by other users, so mdmirror runs no hook");
    expect(code).toBe(0);
    expect((await hooked.run("sync", "w", "--quiet")).err).toEqual([]);
    expect(hooked.events()).toEqual([]);
  });
});
