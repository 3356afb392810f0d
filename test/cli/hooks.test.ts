import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test, vi } from "vitest";
import type { HookMessage } from "../../src/mirror/hooks/run-hook.ts";
import { type CommandResult, type Rig, useRig } from "./rig.ts";
import { ENTRY, keptCompiled } from "../program.ts";
import { groupEnds } from "../mirror/hooks/group.ts";
import { isRun, useWatchedFolder } from "./watch-rig.ts";

/** Writes the configuration of the user's hooks. */
function writeHooks(rig: Rig, hooks: Readonly<Record<string, object>>): void {
  const folder = join(rig.configHome, "mdmirror");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(join(folder, "hooks.json"), JSON.stringify({ hooks }), { mode: 0o600 });
}

/**
 * A linked folder `w` with one document. The user's hooks write the messages that they receive to a
 * file.
 */
class HooksFixture {
  readonly rig: Rig;
  #heard = 0;

  constructor(rig: Rig) {
    this.rig = rig;
  }

  get calls(): string {
    return join(this.rig.dir, "calls");
  }

  env(): Record<string, string | undefined> {
    return { PATH: process.env["PATH"], HOME: this.rig.dir };
  }

  run(...argv: string[]): Promise<CommandResult> {
    return this.rig.run(argv, { env: this.env() });
  }

  /** Returns a hook that appends its input to the file of messages. */
  recordingHook(...on: string[]): object {
    return { on, run: ["sh", "-c", `cat >> '${this.calls}'`] };
  }

  all(): HookMessage[] {
    const text = existsSync(this.calls) ? readFileSync(this.calls, "utf8") : "";
    // The last item is empty, or a line that is not complete yet.
    const lines = text.split("\n").slice(0, -1);
    return lines.map((line) => JSON.parse(line) as HookMessage);
  }

  /** Returns the messages that no earlier call has returned. */
  heard(): HookMessage[] {
    const all = this.all();
    const news = all.slice(this.#heard);
    this.#heard = all.length;
    return news;
  }

  /** Counts messages from the first one again. */
  forget(): void {
    this.#heard = 0;
  }

  /** Waits for the next message that no earlier call has returned. */
  async next(): Promise<HookMessage> {
    const at = this.#heard++;
    await vi.waitFor(() => expect(this.all().length).toBeGreaterThan(at), 30_000);
    return this.all()[at]!;
  }

  /** Returns the messages that no earlier call has returned, in short: `conflict a.md`. */
  events(): string[] {
    return this.heard().map(({ type, data }) => [type, ...data.items.map(({ path }) => path)].join(" ").trim());
  }
}

/** Returns a fixture that is opened before each test of the file and closed after it. */
function useHooksFixture(): HooksFixture {
  const rig = useRig();
  beforeEach(async () => {
    rig.write("a.md", "# one\n\nmany words\n");
    expect((await rig.init()).code).toBe(0);
  });
  const hooked = new HooksFixture(rig);
  beforeEach(() => hooked.forget());
  return hooked;
}

describe("hooks without a daemon", () => {
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
      hooked.rig.editBoth("a.md", "# mine\n\nother words\n", "# theirs\n\nwords of theirs\n");
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
      hooked.rig.protectRemotely("a.md");
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
});

describe("a daemon", () => {
  const folder = useWatchedFolder();

  test("calls a hook with its changes after a pause, and once for a burst", async () => {
    const hooked = new HooksFixture(folder.rig);
    const hook = { ...hooked.recordingHook(), on: { "in-sync": { debounce: "1h" } } };
    writeHooks(folder.rig, { all: hook });
    const watch = await folder.watchingHere();
    for (const name of ["b.md", "c.md", "d.md"]) {
      const before = watch.events.length;
      folder.rig.write(name, `# ${name}\n`);
      await watch.until(isRun, before);
    }
    expect(hooked.all()).toEqual([]);
    watch.clock.speedUp(20_000);
    expect(await hooked.next()).toMatchObject({
      type: "in-sync",
      data: { mirror: { name: "w" }, counts: { changes: { createdRemote: 3 } } },
    });
    watch.stop();
    expect(await watch.ended).toBe(0);
    expect(hooked.all()).toHaveLength(1);
  });

  test("syncs while a hook hangs, and ends the hook with itself", async () => {
    const { rig } = folder;
    const pid = join(rig.dir, "pid");
    const hooked = new HooksFixture(folder.rig);
    const hang = {
      on: { "in-sync": { debounce: "0s" } },
      run: ["sh", "-c", `echo $$ > '${pid}'; sleep 600`],
      timeout: "10m",
    };
    writeHooks(rig, { hang, other: { ...hooked.recordingHook(), on: { "in-sync": { debounce: "0s" } } } });
    const watch = await folder.watchingHere(["w"], { PATH: process.env["PATH"]! });
    rig.write("b.md", "# b\n");
    expect(await hooked.next()).toMatchObject({ type: "in-sync" });
    rig.write("c.md", "# c\n");
    expect(await hooked.next()).toMatchObject({ type: "in-sync" });
    watch.clock.speedUp(20);
    watch.stop();
    expect(await watch.ended).toBe(0);
    await groupEnds(Number(readFileSync(pid, "utf8")));
    expect(watch.err()).toContain('the hook "hang" failed on in-sync');
  });

  test("shows a desktop notification for a conflict", async () => {
    const { rig } = folder;
    const shown = join(rig.dir, "shown");
    writeFileSync(join(rig.dir, "notify-send"), `#!/bin/sh\nprintf '%s\\n' "$3" > '${shown}'\n`, { mode: 0o755 });
    rig.editRemotely("a.md", "# theirs\n");
    rig.write("a.md", "# mine\n");
    const env = { PATH: `${rig.dir}:${process.env["PATH"]}`, DISPLAY: ":0", MDMIRROR_NOTIFY: "" };
    const watch = await folder.watchingHere(["w"], env);
    watch.clock.speedUp(20);
    await vi.waitFor(() => expect(readFileSync(shown, "utf8")).toBe("mdmirror: 1 new conflict in w: a.md\n"), 30_000);
  });
});
