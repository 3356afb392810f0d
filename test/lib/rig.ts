import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { linkMirror } from "../../src/lib/index.ts";
import { type Server, startServer } from "../../src/lib/server.ts";
import type { Mirror, OpenOptions } from "../../src/lib/types.ts";

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

export async function makeLibRig(): Promise<LibRig> {
  const dir = mkdtempSync(join(tmpdir(), "mdm-lib-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const service = await startServer({ data: join(dir, "service") });
  const env = { HOME: dir, XDG_STATE_HOME: join(dir, "state"), XDG_RUNTIME_DIR: dir };
  const root = join(dir, "notes");
  const mirror = await linkMirror(root, { url: service.url, key: service.key, env });
  onTestFinished(async () => {
    await mirror.close();
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
