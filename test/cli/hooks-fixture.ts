import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, vi } from "vitest";
import type { HookMessage } from "../../src/mirror/hooks/run-hook.ts";
import { type CommandResult, type Rig, useRig } from "./rig.ts";

/** Writes the configuration of the user's hooks. */

export function writeHooks(rig: Rig, hooks: Readonly<Record<string, object>>): void {
  const folder = join(rig.configHome, "mdmirror");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(join(folder, "hooks.json"), JSON.stringify({ hooks }), { mode: 0o600 });
}

/**
 * A linked folder `w` with one document. The user's hooks write the messages that they receive to a
 * file.
 */
export class HooksFixture {
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

  /** Removes all messages. */
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
export function useHooksFixture(): HooksFixture {
  const rig = useRig();
  beforeEach(async () => {
    rig.write("a.md", "# one\n\nmany words\n");
    expect((await rig.init()).code).toBe(0);
  });
  const hooked = new HooksFixture(rig);
  beforeEach(() => hooked.forget());
  return hooked;
}
