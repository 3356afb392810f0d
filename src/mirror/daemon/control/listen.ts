import { once } from "node:events";
import { chmodSync, rmSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { refusal, type Result, trouble } from "../../../common/trouble.ts";
import {
  type ControlRequest,
  MAX_REQUEST,
  PROTOCOL_VERSION,
  readRequest,
  type ControlReply,
  formatReply,
  readLines,
} from "./protocol.ts";

export type ControlCall = {
  /** Sends a sign of life to the command, so that the command continues to wait. */
  beat(): void;
  /** Signal that aborts when the command has disconnected. */
  readonly gone: AbortSignal;
};

/**
 * LIMIT: number of connections at the same time, so that memory stays bounded. Only commands of
 * this user can connect.
 */
const MAX_CONNECTIONS = 64;
/** Milliseconds within which a connected command has to send its request. */
const REQUEST_DEADLINE_MS = 10_000;

type ControlServer = {
  readonly socket: string;
  readonly root: string;
  readonly handle: (request: ControlRequest, call: ControlCall) => Promise<Result<object>>;
  /** Receives an error that is a bug. The command that sent the request also gets an error. */
  readonly onFault: (error: unknown) => void;
};

export type StopListening = () => Promise<void>;

/**
 * Listens for commands on a socket.
 * ORDER: the caller already has the folder's lock. A socket that is already at the path is
 * therefore left from a crash, and is replaced.
 * @param service.socket path in a folder that only this user may enter, so that nobody else can
 * connect before the socket's mode is set
 * @returns a function that ends open connections and removes the socket
 */
export async function listenControl(service: ControlServer): Promise<StopListening> {
  const { socket: path } = service;
  rmSync(path, { force: true });
  const callers = new Set<Socket>();
  const server = createServer((socket) => {
    callers.add(socket);
    socket.once("close", () => callers.delete(socket));
    serveCaller(socket, service);
  });
  server.maxConnections = MAX_CONNECTIONS;
  server.listen(path);
  await once(server, "listening");
  chmodSync(path, 0o600);
  return () =>
    new Promise((resolve) => {
      server.close(() => resolve());
      for (const socket of callers) socket.destroy();
    });
}

/**
 * Serves a connection, which has one request. The command closes the connection after the answer. A
 * command that borrows the folder closes the connection to give the folder back.
 */
function serveCaller(socket: Socket, service: ControlServer): void {
  const callerGone = new AbortController();
  const sendReply = (reply: ControlReply) => {
    if (socket.writable) socket.write(formatReply(reply));
  };
  socket.setTimeout(REQUEST_DEADLINE_MS, () => socket.destroy());
  // An error means that the command was killed, so no process reads the answer.
  socket.on("error", () => socket.destroy());
  socket.once("close", () => callerGone.abort());
  let isRead = false;
  readLines(socket, MAX_REQUEST, {
    onLine(line) {
      if (isRead) return;
      isRead = true;
      // A connection has only one request, so mdmirror ignores all other data.
      socket.setTimeout(0).removeAllListeners("data").resume();
      void answerRequest(line, service, callerGone.signal, sendReply);
    },
    onTooLong() {
      socket.end(formatReply(refuseRequest(`a request has at most ${MAX_REQUEST} characters`)), () => socket.destroy());
    },
  });
}

async function answerRequest(
  line: string,
  service: ControlServer,
  gone: AbortSignal,
  send: (reply: ControlReply) => void,
): Promise<void> {
  const envelope = readRequest(line);
  if (typeof envelope === "string") return send(refuseRequest(envelope));
  if (envelope.root !== service.root) return send({ kind: "other-root" });
  try {
    send(await service.handle(envelope.request, { gone, beat: () => send({ kind: "beat" }) }));
  } catch (error) {
    service.onFault(error);
    const nextStep = "look into .mdmirror/log; nothing is lost; start the daemon again";
    send(trouble("fault", "the daemon failed at this request", nextStep));
  }
}

function refuseRequest(why: string): ControlReply {
  const nextStep = `use the same mdmirror for both, and start the daemon again after an update (protocol ${PROTOCOL_VERSION})`;
  return refusal(`the daemon rejects this request: ${why}`, nextStep);
}
