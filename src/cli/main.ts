/** Runs one command line. Large modules are imported only by the commands that need them. */

import { describeError } from "../mirror/folder/disk-trouble.ts";
import { nearestWord } from "../common/nearest-word.ts";
import { type Args, type CommandEnd, type Io, joinCommandWords, readArgs } from "./command.ts";
import { EXIT, type ExitCode, reportTrouble, UsageError } from "./exit.ts";
import { createProcessIo, hasOpenedStream, Output } from "./process-io.ts";
import { COMMANDS, formatCommandHelp, formatOverview, formatUsage } from "./table.ts";
import { formatJsonLine } from "./text.ts";
import { version } from "../common/package-files.ts";

export async function main(argv: readonly string[]): Promise<void> {
  // Installers and bug reports ask for the version. Creating an `Io` would take time, and would
  // fail if the working folder is deleted.
  if (argv[0] === "--version" || argv[0] === "-V") return new Output().write(`${version()}\n`);
  const io = createProcessIo();
  process.exitCode = await runCommandLine(argv, io);
  // After a sync, `process.exit` skips the slow release of memory by Node. After other commands,
  // the process ends normally, because the system may not have accepted all output yet.
  if (argv[0] === "sync" && !hasOpenedStream()) process.exit();
}

/** Runs one command line and returns its exit code. Never throws. */
export async function runCommandLine(argv: readonly string[], io: Io): Promise<ExitCode> {
  try {
    return await runCommand(argv, io);
  } catch (error) {
    io.status("");
    if (error instanceof UsageError) {
      const [name] = joinCommandWords(argv);
      return printUsage(io, [`mdmirror ${name}: ${error.message}`, `  next: mdmirror ${name} --help`]);
    }
    const trouble = describeError(error);
    if (trouble !== null) return reportTrouble(io, trouble);
    return reportFault(io, error instanceof Error ? error : new Error(String(error)));
  }
}

function printUsage(io: Io, lines: readonly string[]): ExitCode {
  for (const line of lines) io.err(line);
  return EXIT.usage;
}

function reportFault(io: Io, fault: Error): ExitCode {
  io.err(`mdmirror: an error in mdmirror itself: ${fault.message}`);
  if (io.env["MDMIRROR_DEBUG"] !== undefined && fault.stack !== undefined) io.err(fault.stack);
  io.err(
    "  next: nothing is lost; run the command again, with MDMIRROR_DEBUG=1 to see where it failed, and report that",
  );
  return EXIT.fault;
}

async function runCommand(argv: readonly string[], io: Io): Promise<ExitCode> {
  const [name, ...rest] = joinCommandWords(argv);
  if (name === "--version" || name === "-V") return printLines(io, [version()]);
  if (name === undefined) return printUsage(io, formatOverview(version()));
  if (name === "--help" || name === "-h" || (name === "help" && rest.length === 0))
    return printLines(io, formatOverview(version()));
  if (name === "help") return runCommand([...rest, "--help"], io);
  const entry = COMMANDS.find((command) => command.name === name);
  if (entry === undefined) {
    const nearestName = nearestWord(
      name,
      COMMANDS.map((command) => command.name),
    );
    const suggestion = nearestName === null ? "" : `; did you mean ${nearestName}?`;
    const message = `mdmirror: there is no command ${JSON.stringify(name)}${suggestion}`;
    return printUsage(io, [message, "  next: mdmirror --help"]);
  }
  const { command } = await entry.load();
  const parsedArgs = readArgs(command, rest);
  switch (parsedArgs.kind) {
    case "help":
      return printLines(io, formatCommandHelp(entry, command));
    case "bad":
      return printUsage(io, [
        `mdmirror ${name}: ${parsedArgs.why}`,
        `  usage: ${formatUsage(entry, command)}`,
        `  next: mdmirror ${name} --help`,
      ]);
    case "parsed":
      return printResult(io, parsedArgs.args, await command.run(io, parsedArgs.args, COMMANDS));
  }
}

function printResult(io: Io, args: Args, result: CommandEnd): ExitCode {
  if (typeof result === "number") return result;
  const { lines, json, hints = [], warnings = [], exit = EXIT.inSync } = result;
  const isJson = json !== undefined && args.flag("json");
  for (const line of isJson ? [formatJsonLine(json)] : lines) io.out(line);
  for (const line of isJson ? warnings : [...hints, ...warnings]) io.err(line);
  return exit;
}

function printLines(io: Io, lines: readonly string[]): ExitCode {
  for (const line of lines) io.out(line);
  return EXIT.inSync;
}
