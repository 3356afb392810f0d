import type { Dice } from "../simulator/dice.ts";
import { Connection } from "./connection.ts";
import type { Send } from "./recorder.ts";
import type { ServiceProcess } from "./service-process.ts";

/** Processes of one service, and each client's kept connections to them. */
export class Cluster {
  readonly processes: readonly ServiceProcess[];
  readonly #connections = new Map<string, Connection>();
  #user = "";
  /** What all of them need, such as a database. */
  #ground: Promise<void> = Promise.resolve();

  constructor(processes: readonly ServiceProcess[]) {
    this.processes = processes;
  }

  /** While `work` goes on, what all processes stand on is away, and no client asks anything new. */
  async away(work: () => Promise<void>): Promise<void> {
    const back = work();
    this.#ground = back;
    await back;
  }

  /** From now on clients work in a new workspace. @returns its id */
  async newWorkspace(name: string): Promise<string> {
    await this.#closeConnections();
    const made = await this.connection(0, this.processes[0]!).send("POST", "/admin/workspaces", { name }, "admin");
    if (typeof made === "string" || made.status !== 201)
      throw new Error(`no workspace was made: ${JSON.stringify(made)}`);
    await this.#closeConnections();
    this.#user = made.json.key;
    return made.json.workspaceId;
  }

  /** To any of the processes that serve; waits while none does. */
  readonly connect = async (client: number, dice: Dice): Promise<Send> => {
    await this.#ground;
    for (;;) {
      const up = this.processes.filter(({ isUp }) => isUp);
      if (up.length > 0) return this.connection(client, dice.pick(up)).send;
      await Promise.race(this.processes.map((each) => each.up));
    }
  };

  connection(client: number, process: ServiceProcess): Connection {
    const name = `${client} ${process.url}`;
    const kept =
      this.#connections.get(name) ??
      new Connection(process.url, { admin: this.processes[0]!.keys.admin, user: this.#user });
    this.#connections.set(name, kept);
    return kept;
  }

  async close(): Promise<void> {
    await this.#closeConnections();
    for (const process of this.processes) await process.end("SIGTERM");
  }

  async #closeConnections(): Promise<void> {
    for (const connection of this.#connections.values()) await connection.close();
    this.#connections.clear();
  }
}
