import { expect, onTestFinished } from "vitest";
import { linkMirror, MdmirrorError } from "../../src/lib/index.ts";
import { readFileSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeMirror } from "../../src/lib/mirror.ts";
import { MirrorSession, makeEnvironment } from "../../src/lib/session.ts";
import { type Server, startServer } from "../../src/lib/server.ts";
import type { Mirror, OpenOptions } from "../../src/lib/types.ts";
import { LiveClock } from "../cli/live-clock.ts";
import { temporaryFolder } from "../temporary-folder.ts";

/** A service and a linked folder in this process, with a separate home folder. */
export type LibRig = {
  readonly service: Server;
  readonly mirror: Mirror;
  /** Path of the linked folder. */
  readonly root: string;
  readonly dir: string;
  readonly options: OpenOptions & { readonly env: NonNullable<OpenOptions["env"]> };
  read(path: string): string;
  write(path: string, text: string): void;
};

/** @param times how much faster than the system's clock the library's clock runs */
export async function makeLibRig(times = 1): Promise<LibRig> {
  const dir = temporaryFolder();
  const service = await startServer({ data: join(dir, "service") });
  const env = { HOME: dir, XDG_STATE_HOME: join(dir, "state"), XDG_RUNTIME_DIR: dir };
  const root = join(dir, "notes");
  const linked = await linkMirror(root, { url: service.url, key: service.key, env });
  const clock = new LiveClock();
  clock.speedUp(times);
  const mirror =
    times === 1 ? linked : makeMirror(new MirrorSession(realpathSync(root), { ...makeEnvironment({ env }), clock }));
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

/** Returns the error of a call, which must be one of the library's. */
export async function errorOf(call: Promise<unknown>): Promise<MdmirrorError> {
  const error = await call.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(MdmirrorError);
  return error as MdmirrorError;
}
