import type { Command } from "../command.ts";
export const command: Command = {
  usage: "",
  about: [],
  options: {},
  operands: { least: 0, most: 1 },
  run: async () => 0,
};
