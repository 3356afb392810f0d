import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterEach } from "vitest";
import type { Rig } from "../cli/rig.ts";
import { ENTRY, keptCompiled } from "../program.ts";

/** `mdmirror mcp` as a process, and its client: what an agent has. */

/** An answer: its facts, and the text beside them. */
export type Told = {
  readonly isError: boolean;
  // biome-ignore lint/suspicious/noExplicitAny: each test knows the facts that it asks for.
  readonly facts: any;
  readonly text: string;
};

export class Agent {
  readonly client = new Client({ name: "test", version: "1" });
  readonly #transport: StdioClientTransport;
  #err = "";

  constructor(transport: StdioClientTransport) {
    this.#transport = transport;
    transport.stderr?.on("data", (chunk: Buffer) => (this.#err += chunk.toString("utf8")));
  }

  get pid(): number {
    return this.#transport.pid!;
  }

  /** All that the process printed on standard error. */
  err(): string {
    return this.#err;
  }

  async call(name: string, args: Readonly<Record<string, unknown>> = {}): Promise<Told> {
    // The client's own deadline is none of these tests.
    const { content, isError = false } = await this.client.callTool({ name, arguments: args }, { timeout: 600_000 });
    const [facts, text] = content.map((block) => (block.type === "text" ? block.text : ""));
    return { isError: isError === true, facts: read(facts ?? ""), text: text ?? "" };
  }

  /** Waits for as long as it takes, also where a test's clock is fast or the machine busy. */
  wait(...paths: string[]): Promise<Told> {
    return this.call("wait", { paths, timeout_seconds: 600 });
  }

  /** Resolves when the process is gone. */
  leave(): Promise<void> {
    return this.client.close();
  }
}

export async function startAgent(rig: Rig, args: readonly string[] = ["w"]): Promise<Agent> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [ENTRY, "mcp", ...args],
    cwd: rig.dir,
    env: {
      ...keptCompiled(),
      PATH: process.env["PATH"] ?? "",
      XDG_RUNTIME_DIR: rig.dir,
      XDG_STATE_HOME: rig.stateHome,
      MDMIRROR_NOTIFY: "off",
    },
    stderr: "pipe",
  });
  const agent = new Agent(transport);
  await agent.client.connect(transport);
  return agent;
}

/** Starts agents that leave at the end of a test. */
export function useAgents(rig: () => Rig): (...args: string[]) => Promise<Agent> {
  const agents: Agent[] = [];
  afterEach(async () => {
    for (const one of agents.splice(0)) await one.leave();
  });
  return async (...args) => {
    const started = await startAgent(rig(), args.length === 0 ? ["w"] : args);
    agents.push(started);
    return started;
  };
}

/** What is refused before a tool runs is told as a sentence. */
function read(text: string): unknown {
  return text.startsWith("{") ? JSON.parse(text) : text;
}
