import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach } from "vitest";
import type { Message } from "../../src/app/hooks/message.ts";
import { serve } from "../security/loopback.ts";
import { openRig, type Ran, type Rig } from "./rig.ts";

/** The hooks of a rig's user, and a receiver of what they post. */

export const SECRET = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;

export function writeHooks(rig: Rig, hooks: Readonly<Record<string, object>>): void {
  const folder = join(rig.configHome, "mdmirror");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(join(folder, "hooks.json"), JSON.stringify({ hooks }), { mode: 0o600 });
  writeFileSync(join(folder, "secret"), SECRET, { mode: 0o600 });
}

export type Receiver = {
  readonly url: string;
  readonly got: readonly Message[];
  /** The next message that was not asked for yet, when it has come. */
  next(): Promise<Message>;
  /** From now on no call is answered. */
  hang(): void;
};

export async function openReceiver(): Promise<Receiver> {
  const got: Message[] = [];
  let asked = 0;
  let hangs = false;
  let came = Promise.withResolvers<void>();
  const { port } = await serve(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += String(chunk);
    got.push(JSON.parse(body) as Message);
    came.resolve();
    came = Promise.withResolvers();
    if (!hangs) response.writeHead(204).end();
  });
  const next = async (): Promise<Message> => {
    while (got.length <= asked) await came.promise;
    return got[asked++]!;
  };
  const hang = () => {
    hangs = true;
  };
  return { url: `http://127.0.0.1:${port}/`, got, next, hang };
}

/** A hook that posts to a receiver, at once. */
export function posts({ url }: Receiver, ...events: readonly string[]): object {
  const on = Object.fromEntries(events.map((event) => [event, { debounce: "0s" }]));
  return { on, post: url, secretFile: "secret" };
}

/** A text of the service's own. */
export function editThere(rig: Rig, path: string, content: string): void {
  const { id, lastChangeId } = rig.remote(path)!;
  rig.api("PUT", `/v1/files/${id}/content`, { baseChangeId: lastChangeId, content });
}

/** A linked folder `w` with one document, whose user's hooks write down what they are told. */
export class Hooked {
  #rig: Rig | null = null;

  get rig(): Rig {
    return this.#rig!;
  }

  get calls(): string {
    return join(this.rig.dir, "calls");
  }

  async open(): Promise<void> {
    this.#rig = await openRig();
    this.rig.write("a.md", "# one\n\nmany words\n");
    const { code, err } = await this.rig.init();
    if (code !== 0) throw new Error(err.join("\n"));
  }

  env(): Record<string, string | undefined> {
    return { PATH: process.env["PATH"], HOME: this.rig.dir };
  }

  run(...argv: string[]): Promise<Ran> {
    return this.rig.run(argv, { env: this.env() });
  }

  /** A hook that appends what it is told to a file. */
  writesDown(...on: string[]): object {
    return { on, run: ["sh", "-c", `cat >> '${this.calls}'`] };
  }

  /** What was written down since the last time. */
  heard(): Message[] {
    const text = existsSync(this.calls) ? readFileSync(this.calls, "utf8") : "";
    writeFileSync(this.calls, "");
    const lines = text.split("\n").filter((line) => line !== "");
    return lines.map((line) => JSON.parse(line) as Message);
  }

  /** The same in short: `conflict a.md`. */
  events(): string[] {
    return this.heard().map(({ type, data }) => [type, ...data.items.map(({ path }) => path)].join(" ").trim());
  }
}

/** Opened before each test of the file, and closed after it. */
export function useHooked(): Hooked {
  const hooked = new Hooked();
  beforeEach(() => hooked.open());
  afterEach(() => hooked.rig.close());
  return hooked;
}
