import type { RunReport } from "../run/report.ts";
import type { World } from "../run/world.ts";
import type { DaemonRequest } from "./daemon.ts";

/** What somebody asked of the daemon, to be done between two runs, in the order of asking. */
export type Asked =
  | {
      readonly kind: DaemonRequest;
      readonly resolve: (report: RunReport) => void;
      readonly reject: (error: Error) => void;
    }
  | {
      readonly kind: "exclusive";
      readonly work: (world: World) => Promise<void>;
      readonly reject: (error: Error) => void;
    };

export type AskQueue = {
  request(kind: DaemonRequest): Promise<RunReport>;
  exclusive<T>(work: (world: World) => T | Promise<T>): Promise<T>;
  take(): Asked[];
  isEmpty(): boolean;
  /** Nothing is taken any more, and what waits is refused. */
  end(why: string): void;
};

export function createAskQueue(onAsk: () => void): AskQueue {
  let waiting: Asked[] = [];
  let over: string | null = null;

  function ask<T>(make: (resolve: (value: T) => void, reject: (error: Error) => void) => Asked): Promise<T> {
    if (over !== null) return Promise.reject(new Error(over));
    return new Promise((resolve, reject) => {
      waiting.push(make(resolve, reject));
      onAsk();
    });
  }

  return {
    request: (kind) => ask((resolve, reject) => ({ kind, resolve, reject })),
    exclusive: (work) =>
      ask((resolve, reject) => ({
        kind: "exclusive",
        reject,
        // What the work throws is its asker's to hear.
        work: async (world) => {
          try {
            resolve(await work(world));
          } catch (error) {
            reject(error as Error);
          }
        },
      })),
    take() {
      const taken = waiting;
      waiting = [];
      return taken;
    },
    isEmpty: () => waiting.length === 0,
    end(why) {
      over = why;
      for (const asked of waiting.splice(0)) asked.reject(new Error(why));
    },
  };
}
