import { unwrap } from "../../../../src/common/trouble.ts";
import { mkdirSync, realpathSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach } from "vitest";
import { ok, type Result } from "../../../../src/common/trouble.ts";
import { type ControlCall, listenControl, type StopListening } from "../../../../src/mirror/daemon/control/listen.ts";
import { chooseSocketPath, writeSocketPath } from "../../../../src/mirror/daemon/control/socket-path.ts";
import type { ControlRequest } from "../../../../src/mirror/daemon/control/protocol.ts";
import { temporaryFolder } from "../../../temporary-folder.ts";

/** For each test: a temporary folder, a linked folder in it, and its `.mdmirror`. */
export let dir: string;
export let root: string;
export let folder: string;
const open: (() => Promise<void>)[] = [];

/**
 * Registers the hooks. Each test file calls it, because a module's own hooks would belong to one
 * file only.
 */
export function useFolders(): void {
  beforeEach(() => {
    dir = realpathSync(temporaryFolder());
    root = join(dir, "w");
    folder = join(root, ".mdmirror");
    mkdirSync(folder, { recursive: true });
  });
  afterEach(async () => {
    for (const close of open.splice(0)) await close();
  });
}

export const env = () => ({ XDG_RUNTIME_DIR: dir });

export function placed(): string {
  return unwrap(chooseSocketPath(root, { env: env() }));
}

type Handle = (request: ControlRequest, call: ControlCall) => Promise<Result<object>>;
export const STATUS = { pid: 1, since: 2, phase: "idle", detail: "", paused: false, stillMs: 0 };
export const answering: Handle = async () => ok(STATUS);

/** Listens on the folder's socket like its daemon. */
export async function listening(
  handle: Handle,
  faults: unknown[] = [],
): Promise<{ socket: string; stopListening: StopListening }> {
  const socket = placed();
  const stopListening = await listenControl({ socket, root, handle, onFault: (error) => void faults.push(error) });
  writeSocketPath(folder, { socket, pid: process.pid, since: 0 });
  open.push(stopListening);
  return { socket, stopListening };
}

/** Listens on the folder's socket with a server that is no daemon. */
export async function impostor(serve: Parameters<typeof createServer>[1] & object): Promise<Server> {
  const socket = placed();
  const server = createServer(serve);
  await new Promise<void>((resolve) => server.listen(socket, resolve));
  writeSocketPath(folder, { socket, pid: 4242, since: 0 });
  const callers: Socket[] = [];
  server.on("connection", (socket) => callers.push(socket));
  open.push(async () => {
    for (const socket of callers) socket.destroy();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  });
  return server;
}
