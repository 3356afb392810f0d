/**
 * A proxy that breaks connections: after some bytes in either direction it resets, ends or stalls
 * them.
 */
import { connect, createServer, type Server, type Socket } from "node:net";
import type { Dice } from "../../test/simulator/dice.ts";

type Break = "reset" | "end" | "stall";

export type Proxy = {
  readonly url: string;
  /** Number of broken connections, by kind of break and by what was being transferred. */
  readonly broken: Map<string, number>;
  /** Share of connections that break: 0 for none, 1 for all. */
  share: number;
  close(): Promise<void>;
};

/** ms for which a stalled connection passes neither bytes nor its end. */
const STALL_MS = 1_500;

export async function openProxy(target: string, dice: Dice): Promise<Proxy> {
  const { hostname, port } = new URL(target);
  const open = new Set<Socket>();
  const broken = new Map<string, number>();
  const server: Server = createServer((client) => {
    const service = connect(Number(port), hostname);
    for (const socket of [client, service]) {
      open.add(socket);
      socket.setNoDelay(true);
      socket.on("close", () => open.delete(socket));
    }
    const fault = dice.fraction() < proxy.share ? plan(dice) : null;
    const drop = (how: Break, where: string) => {
      const name = `${how} in a ${where}`;
      broken.set(name, (broken.get(name) ?? 0) + 1);
      const end = () => {
        if (how === "end") client.end();
        else client.resetAndDestroy();
        service.destroy();
      };
      if (how === "stall") setTimeout(end, STALL_MS);
      else end();
    };
    relay(client, service, fault?.where === "request" ? fault.after : null, () => drop(fault!.how, "request"));
    relay(service, client, fault?.where === "response" ? fault.after : null, () => drop(fault!.how, "response"));
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  const proxy: Proxy = {
    url: `http://127.0.0.1:${address.port}`,
    broken,
    share: 0,
    close: () => {
      for (const socket of open) socket.destroy();
      return new Promise((closed) => void server.close(() => closed()));
    },
  };
  return proxy;
}

type Plan = { readonly how: Break; readonly where: "request" | "response"; readonly after: number };

/**
 * Draws a break. A request or an answer has some 300 bytes and its content. Connections are reused,
 * so most breaks come after several requests.
 */
function plan(dice: Dice): Plan {
  return {
    how: dice.pick(["reset", "reset", "end", "stall"]),
    where: dice.pick(["request", "response"]),
    after: dice.below(6_000),
  };
}

/** Passes on exactly `after` bytes, then calls `onBreak` and passes on nothing more. */
function relay(from: Socket, to: Socket, after: number | null, onBreak: () => void): void {
  let left = after ?? Number.POSITIVE_INFINITY;
  let done = false;
  from.on("data", (chunk: Buffer) => {
    if (done) return;
    to.write(chunk.subarray(0, Math.min(chunk.length, left)));
    left -= chunk.length;
    if (left > 0) return;
    done = true;
    onBreak();
  });
  from.on("end", () => {
    if (!done) to.end();
  });
  from.on("error", () => to.destroy());
}
