import { expect, onTestFinished } from "vitest";
import { linkMirror, MdmirrorError } from "../../src/lib/index.ts";
import { readFileSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { mirrorOf } from "../../src/lib/mirror.ts";
import { Session, environmentOf } from "../../src/lib/session.ts";
import { type Server, startServer } from "../../src/lib/server.ts";
import type { Mirror, OpenOptions } from "../../src/lib/types.ts";
import { LiveClock } from "../cli/live-clock.ts";
import { temporaryFolder } from "../temporary-folder.ts";

/** A service and a linked folder of this process, with a user's folders of their own. */
export type LibRig = {
  readonly service: Server;
  readonly mirror: Mirror;
  /** The mirrored folder. */
  readonly root: string;
  readonly dir: string;
  readonly options: OpenOptions & { readonly env: NonNullable<OpenOptions["env"]> };
  read(path: string): string;
  write(path: string, text: string): void;
};

/** @param times so much faster than the system's the clock of the mirror runs */
export async function makeLibRig(times = 1): Promise<LibRig> {
  const dir = temporaryFolder();
  const service = await startServer({ data: join(dir, "service") });
  const env = { HOME: dir, XDG_STATE_HOME: join(dir, "state"), XDG_RUNTIME_DIR: dir };
  const root = join(dir, "notes");
  const linked = await linkMirror(root, { url: service.url, key: service.key, env });
  const clock = new LiveClock();
  clock.hurry(times);
  const mirror = times === 1 ? linked : mirrorOf(new Session(realpathSync(root), { ...environmentOf({ env }), clock }));
  onTestFinished(async () => {
    await mirror.close();
    await linked.close();
    await service.stop();
  });
  return {
    service,
    mirror,
    root,
    dir,
    options: { env },
    read: (path) => readFileSync(join(root, path), "utf8"),
    write: (path, text) => writeFileSync(join(root, path), text),
  };
}

/** What a call throws, which must be an error of the library. */
export async function errorOf(call: Promise<unknown>): Promise<MdmirrorError> {
  const error = await call.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(MdmirrorError);
  return error as MdmirrorError;
}
