import { Client } from "undici";
import type { Send, Sent } from "./operation.ts";
import type { Dice } from "../simulator/dice.ts";
import type { ServiceProcess } from "./service-process.ts";

/** Error codes of a connection that was not established, so that nothing was sent. */
const NEVER_MADE: ReadonlySet<string> = new Set(["ECONNREFUSED", "UND_ERR_CONNECT_TIMEOUT"]);
/** LIMIT: ms to wait for an answer. Without one it is unknown whether the request was executed. */
const ANSWER_MS = 15_000;

/** An open connection of one client to one process of the service. */
class Connection {
  readonly #client: Client;
  readonly #keys: { readonly user: string; readonly admin: string };

  constructor(url: string, keys: { readonly user: string; readonly admin: string }) {
    this.#client = new Client(url, { headersTimeout: ANSWER_MS, bodyTimeout: ANSWER_MS, pipelining: 1 });
    this.#keys = keys;
  }

  readonly send: Send = async (method, path, body, by): Promise<Sent> => {
    const headers = { "x-api-key": this.#keys[by], ...(body === null ? {} : { "content-type": "application/json" }) };
    const text = body === null ? null : JSON.stringify(body);
    try {
      const reply = await this.#client.request({ method: method as "GET", path, headers, body: text });
      const answer = await reply.body.text();
      return { status: reply.statusCode, json: answer === "" ? null : JSON.parse(answer) };
    } catch (error) {
      return NEVER_MADE.has((error as { readonly code?: string }).code ?? "") ? "unsent" : "unknown";
    }
  };

  async close(): Promise<void> {
    await this.#client.destroy();
  }
}

/** The processes of one service, and the clients' connections to them, which stay open. */
export class Cluster {
  readonly processes: readonly ServiceProcess[];
  readonly #connections = new Map<string, Connection>();
  #user = "";
  /** Resolves when what all processes need is running, such as a database. */
  #ground: Promise<void> = Promise.resolve();

  constructor(processes: readonly ServiceProcess[]) {
    this.processes = processes;
  }

  /**
   * Runs `work`, which stops something that all processes need. No client sends anything new
   * meanwhile.
   */
  async withoutDatabase(work: () => Promise<void>): Promise<void> {
    const back = work();
    this.#ground = back;
    await back;
  }

  /** Creates a workspace for the clients from now on. Returns its id. */
  async newWorkspace(name: string): Promise<string> {
    await this.#closeConnections();
    const made = await this.connection(0, this.processes[0]!).send("POST", "/admin/workspaces", { name }, "admin");
    if (typeof made === "string" || made.status !== 201)
      throw new Error(`no workspace was made: ${JSON.stringify(made)}`);
    await this.#closeConnections();
    this.#user = made.json.key;
    return made.json.workspaceId;
  }

  /** Connects to one of the running processes; waits while none runs. */
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
