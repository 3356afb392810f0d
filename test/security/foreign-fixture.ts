import { cpSync, renameSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { openRig, type CommandResult, type Rig } from "../cli/rig.ts";
import { serve } from "./loopback.ts";

/**
 * A folder that an attacker made, with the attacker's configuration. Neither content nor a key may
 * be sent to the attacker's server.
 */

export const KEY = "mdm_the_users_own_key";

/** A rig with the hostile folder `w`, and the requests that the attacker's server received. */
export type Fixture = { readonly rig: Rig; readonly url: string; readonly seen: readonly IncomingMessage[] };

export const DOWNLOADED = "a downloaded folder";

/** Ways in which the folder gets the address of the attacker's server. */
export const WAYS: Readonly<Record<string, (rig: Rig, url: string) => Promise<void>>> = {
  [DOWNLOADED]: async (rig, url) => {
    // The attacker linked the folder, so it is in the attacker's list of linked folders.
    await makeMirror(rig, { XDG_STATE_HOME: join(rig.dir, "attacker") });
    pointTo(rig, url);
  },
  "a mirror of the user's whose configuration names another address now": async (rig, url) => {
    await makeMirror(rig, {});
    pointTo(rig, url);
  },
  "a folder with the marker of a mirror of the user's": async (rig, url) => {
    await makeMirror(rig, {});
    renameSync(rig.root, join(rig.dir, "own"));
    expect((await rig.run(["sync", "own"])).err[0]).toContain("was");
    cpSync(join(rig.dir, "own"), rig.root, { recursive: true });
    pointTo(rig, url);
  },
};

export async function makeMirror(rig: Rig, env: Readonly<Record<string, string>>): Promise<void> {
  const argv = ["init", "w", "--url", rig.url, "--key-file", rig.keyFile, "--yes"];
  expect((await rig.run(argv, { env })).code).toBe(0);
  rig.write("a.md", "mine\n");
  rig.editRemotely("a.md", "theirs\n");
  expect((await rig.run(["sync", "w"], { env })).code).toBe(3);
  rig.write("secret.md", "what nobody else may read\n");
}

export function pointTo(rig: Rig, url: string): void {
  rig.write(".mdmirror/config.json", JSON.stringify({ url, allowHttp: ["0.0.0.0"] }));
}

export async function openFixture(way: string): Promise<Fixture> {
  const rig = await openRig();
  onTestFinished(() => rig.close());
  rig.createRemotely("a.md", "a\n");
  const { port, seen } = await serve((_request, response) => {
    response.setHeader("content-type", "application/json");
    response.end('{"object":"list","data":[],"hasMore":false,"nextCursor":null}');
  });
  const url = `http://127.0.0.1:${port}`;
  await WAYS[way]!(rig, url);
  return { rig, url, seen };
}

/**
 * Runs a command as the user, with a key in the environment. A command that serves is ended as soon
 * as it serves.
 */
export function runAsUser(
  { rig }: Fixture,
  argv: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<CommandResult> {
  const stop = new AbortController();
  const cwd = argv[0] === "undo" ? rig.root : rig.dir;
  const onOut = () => {
    if (argv[0] === "serve" || argv[0] === "ui") stop.abort();
  };
  return rig.run(argv, { env: { MDMIRROR_API_KEY: KEY, ...env }, cwd, stop: stop.signal, onOut });
}

export function expectRefusal({ code, out, err }: CommandResult, what: unknown): void {
  const said = [...out, ...err].join("\n");
  expect([what, code, /mdmirror trust /.test(said), /nothing was sent/.test(said)]).toEqual([what, 2, true, true]);
  expect(said).not.toContain(KEY);
}
