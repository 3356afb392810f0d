import { connect, createServer, type Socket } from "node:net";

/** A moment of a request: before the request, or before its answer, is passed on. */
export type Moment = "request" | "answer";

/** Passes bytes between a folder and the service. It can end the connection at an exact moment. */
export type Tap = {
  readonly url: string;
  /**
   * Called at each moment. If it returns true, all connections are cut and none of their bytes are
   * passed on.
   */
  cut: ((moment: Moment) => boolean) | null;
  /** Resolves when the service has answered or ended each open connection. */
  drained(): Promise<void>;
  close(): Promise<void>;
};

/** LIMIT: ms that the service may keep a connection after its client is gone. */
const LINGER_MS = 200;

export async function openTap(target: string): Promise<Tap> {
  const { hostname, port } = new URL(target);
  const open = new Set<Socket>();
  const ends = new Set<Promise<void>>();
  const server = createServer((client) => {
    const service = connect(Number(port), hostname);
    let isCut = false;
    const pass = (moment: Moment, to: Socket) => (chunk: Buffer) => {
      isCut ||= tap.cut?.(moment) ?? false;
      if (isCut) client.destroy();
      else to.write(chunk);
    };
    client.on("data", pass("request", service)).on("close", () => service.end());
    service.on("data", pass("answer", client)).on("close", () => client.end());
    const end = new Promise<void>((resolve) => service.once("close", () => resolve()));
    ends.add(end);
    void end.then(() => ends.delete(end));
    for (const socket of [client, service]) {
      open.add(socket.setNoDelay(true));
      socket.on("error", () => socket.destroy()).on("close", () => open.delete(socket));
    }
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  const tap: Tap = {
    url: `http://127.0.0.1:${address.port}`,
    cut: null,
    async drained() {
      const linger = setTimeout(() => {
        for (const socket of open) socket.destroy();
      }, LINGER_MS);
      await Promise.all(ends);
      clearTimeout(linger);
    },
    async close() {
      for (const socket of open) socket.destroy();
      await new Promise<void>((closed) => void server.close(() => closed()));
    },
  };
  return tap;
}
