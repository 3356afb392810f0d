/** Serves the daemon's end of the socket. */

import { once } from "node:events";
import { chmodSync, rmSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { type Result, trouble } from "../../../common/trouble.ts";
import {
  type ControlRequest,
  MAX_REQUEST,
  PROTOCOL_VERSION,
  readRequest,
  type Reply,
  replyLine,
  readLines,
} from "./protocol.ts";

export type ControlCall = {
  /** Sends the caller a sign of life, because a caller gives up after some silence. */
  beat(): void;
  /** Aborted when the caller has disconnected. */
  readonly gone: AbortSignal;
};

/** LIMIT: callers at a time. Each is one command of one user. */
const MAX_CALLERS = 64;
/** Milliseconds that a new caller may be silent before it is disconnected. */
const REQUEST_DEADLINE_MS = 10_000;

type Server = {
  readonly socket: string;
  readonly root: string;
  readonly handle: (request: ControlRequest, call: ControlCall) => Promise<Result<object>>;
  /** Called for a bug in a handler. The caller gets an error, too. */
  readonly onFault: (error: unknown) => void;
};

/**
 * Listens for commands. ORDER: only the holder of the folder's lock calls this, so a socket at this
 * path was left by a crash and is replaced.
 * @param service.socket in a folder that only this user may enter, so that nobody connects before
 * its mode is set
 */
export async function listenControl(service: Server): Promise<Listening> {
  const { socket: path } = service;
  rmSync(path, { force: true });
  const callers = new Set<Socket>();
  const server = createServer((socket) => {
    callers.add(socket);
    socket.once("close", () => callers.delete(socket));
    serveCaller(socket, service);
  });
  server.maxConnections = MAX_CALLERS;
  server.listen(path);
  await once(server, "listening");
  chmodSync(path, 0o600);
  return {
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of callers) socket.destroy();
      }),
  };
}

/** `close` ends open calls and removes the socket. */
export type Listening = { close(): Promise<void> };

/** Reads the one request of a connection and answers it. The caller closes the connection. */
function serveCaller(socket: Socket, service: Server): void {
  const gone = new AbortController();
  const send = (reply: Reply) => {
    if (socket.writable) socket.write(replyLine(reply));
  };
  socket.setTimeout(REQUEST_DEADLINE_MS, () => socket.destroy());
  // The caller was killed, so nobody reads the answer.
  socket.on("error", () => socket.destroy());
  socket.once("close", () => gone.abort());
  let isRead = false;
  readLines(socket, MAX_REQUEST, {
    onLine(line) {
      if (isRead) return;
      isRead = true;
      // Nothing more is kept of what the caller sends.
      socket.setTimeout(0).removeAllListeners("data").resume();
      void answer(line, service, gone.signal, send);
    },
    onTooLong() {
      socket.end(replyLine(refusal(`a request has at most ${MAX_REQUEST} characters`)), () => socket.destroy());
    },
  });
}

async function answer(line: string, service: Server, gone: AbortSignal, send: (reply: Reply) => void): Promise<void> {
  const envelope = readRequest(line);
  if (typeof envelope === "string") return send(refusal(envelope));
  if (envelope.root !== service.root) return send({ kind: "other-root" });
  try {
    send(await service.handle(envelope.request, { gone, beat: () => send({ kind: "beat" }) }));
  } catch (error) {
    service.onFault(error);
    const next = "look into .mdmirror/log; nothing is lost; start the daemon again";
    send(trouble("fault", "the daemon failed at this request", next));
  }
}

function refusal(why: string): Reply {
  const next = `use the same mdmirror for both, and start the daemon again after an update (protocol ${PROTOCOL_VERSION})`;
  return trouble("usage", `the daemon rejects this request: ${why}`, next);
}
