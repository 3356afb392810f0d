import { once } from "node:events";
import { chmodSync, rmSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import type { Trouble } from "../../../common/trouble.ts";
import { LineReader } from "./lines.ts";
import {
  type ControlRequest,
  type DelayedChanges,
  MAX_REQUEST,
  PROTOCOL_VERSION,
  readRequest,
  type Reply,
  replyLine,
} from "./protocol.ts";

/** The daemon's end of the socket. */

export type CallResult =
  | { readonly kind: "done"; readonly value: object }
  | { readonly kind: "refused"; readonly trouble: Trouble };

export type ControlCall = {
  /**
   * Sends the caller a sign of life, because a caller gives up after some silence.
   * @param heldBack changes that a sync waits for; left out while it works
   */
  beat(heldBack?: DelayedChanges): void;
  /** Aborted when the caller has left. */
  readonly gone: AbortSignal;
};

/** LIMIT: callers at a time. Each is one command of one user. */
const MAX_CALLERS = 64;
/** LIMIT: open requests of one caller; further ones are read after an answer. */
const MAX_ASKED = 16;
/** Milliseconds that a new caller may be silent before it is disconnected. */
const FIRST_WORD_MS = 10_000;

type Service = {
  readonly socket: string;
  readonly root: string;
  readonly handle: (request: ControlRequest, call: ControlCall) => Promise<CallResult>;
  /** Called for a bug in a handler, which the caller learns of as well. */
  readonly onFault: (error: unknown) => void;
};

/**
 * Listens for commands. ORDER: only the holder of the folder's lock calls this, so a socket at this
 * path was left by a crash and is replaced.
 * @param service.socket in a folder that only this user may enter, so that nobody connects before
 * its mode is set
 */
export async function listenControl(service: Service): Promise<Listening> {
  const { socket: path } = service;
  rmSync(path, { force: true });
  const listening = new Listening(service);
  await listening.open(path);
  chmodSync(path, 0o600);
  return listening;
}

class Listening {
  readonly #server: Server;
  readonly #callers = new Set<Socket>();

  constructor(service: Service) {
    this.#server = createServer((socket) => {
      this.#callers.add(socket);
      socket.once("close", () => this.#callers.delete(socket));
      new Caller(socket, service).listen();
    });
    this.#server.maxConnections = MAX_CALLERS;
  }

  async open(path: string): Promise<void> {
    this.#server.listen(path);
    await once(this.#server, "listening");
  }

  /** Ends open calls and removes the socket. */
  close(): Promise<void> {
    return new Promise((resolve) => {
      this.#server.close(() => resolve());
      for (const socket of this.#callers) socket.destroy();
    });
  }
}

/** One connection with its requests. */
class Caller {
  readonly #socket: Socket;
  readonly #service: Service;
  readonly #gone = new AbortController();
  #underWay = 0;

  constructor(socket: Socket, service: Service) {
    this.#socket = socket;
    this.#service = service;
  }

  listen(): void {
    const socket = this.#socket;
    socket.setTimeout(FIRST_WORD_MS, () => socket.destroy());
    // The caller was killed: nobody reads an answer.
    socket.on("error", () => socket.destroy());
    socket.once("close", () => this.#gone.abort());
    socket.on("drain", () => this.#readOrWait());
    const reader = new LineReader(MAX_REQUEST, (line) => void this.#take(line));
    socket.on("data", (chunk) => {
      if (reader.push(chunk)) this.#readOrWait();
      else this.#refuseLongLine();
    });
  }

  /**
   * Stops reading from a caller that sends faster than it is answered or does not read its answers,
   * so that nothing accumulates.
   */
  #readOrWait(): void {
    if (this.#underWay < MAX_ASKED && !this.#socket.writableNeedDrain) this.#socket.resume();
    else this.#socket.pause();
  }

  #refuseLongLine(): void {
    this.#socket.removeAllListeners("data");
    const reply = refusal(0, `a request has at most ${MAX_REQUEST} bytes`);
    this.#socket.end(replyLine(reply), () => this.#socket.destroy());
  }

  async #take(line: string): Promise<void> {
    this.#socket.setTimeout(0);
    this.#underWay++;
    await this.#answer(line);
    this.#underWay--;
    this.#readOrWait();
  }

  async #answer(line: string): Promise<void> {
    const read = readRequest(line);
    if (read.kind === "bad") return this.#send(refusal(read.id, read.why));
    const { id, root, request } = read.envelope;
    if (root !== this.#service.root) return this.#send({ id, kind: "other-root" });
    try {
      const beat = (heldBack?: DelayedChanges) => this.#send({ id, kind: "beat", ...(heldBack && { heldBack }) });
      this.#send({ id, ...(await this.#service.handle(request, { gone: this.#gone.signal, beat })) });
    } catch (error) {
      this.#service.onFault(error);
      const next = "look into .mdmirror/log; nothing is lost; start the daemon again";
      this.#send({ id, kind: "refused", trouble: { kind: "fault", what: "the daemon failed at this request", next } });
    }
  }

  #send(reply: Reply): void {
    if (this.#socket.writable) this.#socket.write(replyLine(reply));
  }
}

function refusal(id: number, why: string): Reply {
  const next = `use the same mdmirror for both, and start the daemon again after an update (protocol ${PROTOCOL_VERSION})`;
  return {
    id,
    kind: "refused",
    trouble: { kind: "usage", what: `the daemon rejects this request: ${why}`, next },
  };
}
