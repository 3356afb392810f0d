import { chmodSync, rmSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import type { Trouble } from "../mirror/trouble.ts";
import { lineReader } from "./lines.ts";
import { type ControlRequest, MAX_REQUEST, PROTOCOL, readRequest, type Reply, replyLine } from "./protocol.ts";

/** The daemon's end of the socket. */

export type Handled =
  | { readonly kind: "done"; readonly value: object }
  | { readonly kind: "refused"; readonly trouble: Trouble };

export type Call = {
  /** Tells the caller that the work goes on: a caller gives up after a time of silence. */
  beat(): void;
  /** Aborted when the caller is gone. */
  readonly gone: AbortSignal;
};

export type Listening = {
  /** Calls that are being answered are cut; the socket is removed. */
  close(): Promise<void>;
};

/** LIMIT: callers at once. Each is one command of one user. */
const MAX_CALLERS = 64;
/** LIMIT: requests of one caller under way; further ones are not read until one is answered. */
const MAX_ASKED = 16;
/** A caller that says nothing is let go. */
const FIRST_WORD_MS = 10_000;

/**
 * ORDER: only the holder of the folder's lock calls this, so a socket that is at the path was left
 * by a crash and is replaced.
 * @param options.socket in a folder that only this user may enter, so that nobody connects before
 * the mode is set
 */
export async function listenControl(options: {
  readonly socket: string;
  readonly root: string;
  readonly handle: (request: ControlRequest, call: Call) => Promise<Handled>;
  /** A bug in a handler: the caller is told that it is one. */
  readonly onFault: (error: unknown) => void;
}): Promise<Listening> {
  const { socket: path } = options;
  rmSync(path, { force: true });
  const callers = new Set<Socket>();
  const server = createServer((socket) => {
    callers.add(socket);
    socket.once("close", () => callers.delete(socket));
    serveCaller(socket, options);
  });
  server.maxConnections = MAX_CALLERS;
  await opened(server, path);
  chmodSync(path, 0o600);
  return {
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of callers) socket.destroy();
      }),
  };
}

function opened(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(path, () => {
      server.off("error", reject);
      resolve();
    });
  });
}

type Serving = Pick<Parameters<typeof listenControl>[0], "root" | "handle" | "onFault">;

function serveCaller(socket: Socket, serving: Serving): void {
  const gone = new AbortController();
  socket.setTimeout(FIRST_WORD_MS, () => socket.destroy());
  // A caller that was killed: there is nobody to be told.
  socket.on("error", () => socket.destroy());
  socket.once("close", () => gone.abort());
  let asked = 0;
  // A caller that asks faster than it is answered, or does not read its answers, waits: nothing
  // piles up here.
  const pace = () => {
    if (asked < MAX_ASKED && !socket.writableNeedDrain) socket.resume();
    else socket.pause();
  };
  socket.on("drain", pace);
  const send = (reply: Reply) => {
    if (socket.writable) socket.write(replyLine(reply));
  };
  const reader = lineReader(MAX_REQUEST, (line) => {
    socket.setTimeout(0);
    asked++;
    void answer(line, serving, send, gone.signal).then(() => {
      asked--;
      pace();
    });
  });
  socket.on("data", (chunk) => {
    if (reader.push(chunk)) return pace();
    socket.removeAllListeners("data");
    socket.end(replyLine(refusal(0, `a request has at most ${MAX_REQUEST} bytes`)), () => socket.destroy());
  });
}

async function answer(line: string, serving: Serving, send: (reply: Reply) => void, gone: AbortSignal): Promise<void> {
  const read = readRequest(line);
  if (read.kind === "bad") return send(refusal(read.id, read.why));
  const { id, root, request } = read.envelope;
  if (root !== serving.root) return send({ id, kind: "other-root" });
  try {
    const handled = await serving.handle(request, { gone, beat: () => send({ id, kind: "beat" }) });
    send({ id, ...handled });
  } catch (error) {
    serving.onFault(error);
    const next = "look into .mdmirror/log; nothing is lost; start the daemon again";
    send({ id, kind: "refused", trouble: { kind: "fault", what: "the daemon failed at this request", next } });
  }
}

function refusal(id: number, why: string): Reply {
  const next = `use the same mdmirror for both, and start the daemon again after an update (protocol ${PROTOCOL})`;
  return {
    id,
    kind: "refused",
    trouble: { kind: "usage", what: `the daemon does not take this request: ${why}`, next },
  };
}
