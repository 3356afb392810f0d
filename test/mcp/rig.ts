import { join } from "node:path";
import { Client, InMemoryTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterEach } from "vitest";
import { systemClock } from "../../src/common/clock.ts";
import { systemRandom } from "../../src/common/random.ts";
import { startMcp } from "../../src/mcp/start-mcp.ts";
import type { Rig } from "../cli/rig.ts";
import { ENTRY, keptCompiled } from "../program.ts";

/** An agent: a client of `mdmirror mcp`, which runs in this process or as a process. */

/** A tool's answer: its structured content, and the text beside it. */
export type ToolAnswer = {
  readonly isError: boolean;
  // biome-ignore lint/suspicious/noExplicitAny: each test knows the facts that it asks for.
  readonly facts: any;
  readonly text: string;
};

export class Agent {
  readonly client = new Client({ name: "test", version: "1" });
  /** Internal errors that the program reported. */
  faults = "";

  async call(name: string, args: Readonly<Record<string, unknown>> = {}): Promise<ToolAnswer> {
    // The client's time limit is not tested, so it is long.
    const { content, isError = false } = await this.client.callTool({ name, arguments: args }, { timeout: 600_000 });
    const [facts, text] = content.map((block) => (block.type === "text" ? block.text : ""));
    return { isError: isError === true, facts: read(facts ?? ""), text: text ?? "" };
  }

  /** Waits without a time limit, because the test's clock may be fast or the machine busy. */
  wait(...paths: string[]): Promise<ToolAnswer> {
    return this.call("wait", { paths, timeout: "10m" });
  }

  /** Resolves when the program has ended. */
  leave(): Promise<void> {
    return this.client.close();
  }
}

const environment = (rig: Rig) => ({
  PATH: process.env["PATH"] ?? "",
  XDG_RUNTIME_DIR: rig.dir,
  XDG_STATE_HOME: rig.stateHome,
  MDMIRROR_NOTIFY: "off",
});

/** Starts an agent in this process, with access to folders of the rig. */
export async function startAgent(rig: Rig, dirs: readonly string[] = ["w"]): Promise<Agent> {
  const agent = new Agent();
  const [own, transport] = InMemoryTransport.createLinkedPair();
  const mcp = startMcp({
    env: environment(rig),
    cwd: rig.dir,
    clock: systemClock(),
    random: systemRandom(),
    version: "0.0.0",
    roots: dirs.map((dir) => join(rig.dir, dir)),
    isReadOnly: false,
    onFault: (error) => (agent.faults += String(error)),
    transport,
  });
  agent.leave = async () => {
    await agent.client.close();
    await mcp.close();
  };
  await agent.client.connect(own);
  return agent;
}

/** Starts an agent whose program is a real process. */
export async function startAgentProcess(
  rig: Rig,
  args: readonly string[] = ["w"],
): Promise<Agent & { readonly pid: number }> {
  const agent = new Agent();
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [ENTRY, "mcp", ...args],
    cwd: rig.dir,
    env: { ...keptCompiled(), ...environment(rig) },
    stderr: "pipe",
  });
  transport.stderr?.on("data", (chunk: Buffer) => (agent.faults += chunk.toString("utf8")));
  await agent.client.connect(transport);
  return Object.assign(agent, { pid: transport.pid! });
}

/** Returns a function that starts agents. They end with the test. */
export function useAgents(rig: () => Rig): (where?: "process") => Promise<Agent> {
  const agents: Agent[] = [];
  afterEach(async () => {
    for (const one of agents.splice(0)) await one.leave();
  });
  return async (where) => {
    const started = await (where === "process" ? startAgentProcess(rig()) : startAgent(rig()));
    agents.push(started);
    return started;
  };
}

/** An error before a tool runs is plain text instead of JSON. */
function read(text: string): unknown {
  return text.startsWith("{") ? JSON.parse(text) : text;
}
