import { type Result, unwrap } from "../../common/trouble.ts";
import { resolve } from "node:path";
import type { AdminSession } from "../../service/admin/session.ts";
import type { AdminAction } from "../admin/actions.ts";
import { type Args, type Command, describeUnknownWord, type Io } from "../command.ts";
import { refuseUsage } from "../exit.ts";
import { ALLOW_HTTP_OPTION } from "../use-mirror.ts";
import { DEFAULT_DATA, RATE_FORM } from "../service-data.ts";

const SUBJECTS = ["keys", "reviews", "workspaces"] as const;

/**
 * Options that only some actions of `serve admin` accept. All other options are valid for every
 * action.
 */
const OWN_OPTIONS = ["workspace", "label", "grant", "expires", "rate", "out", "content", "yes"] as const;

export const command: Command = {
  about: [
    "Also written mdmirror serve admin. Uses the running service whose data folder is --data. If none is running, it opens that folder itself. NAME is an id or a unique name.",
    "  keys                          list keys with their grants and their last use",
    "  keys create --label L --grant PATH=full|edit|read|none … [--workspace W] [--expires 30d]",
    "              [--rate N/S] [--out FILE]",
    "  keys change ID|LABEL          change the label, expiry or rate, or replace all grants",
    "  keys revoke ID|LABEL          revoke a key immediately",
    "  reviews [--workspace W]       list changes in review; exits 3 if there are any",
    "  reviews show ID|PATH          show its changed lines, and lines published meanwhile",
    "  reviews accept ID|PATH        publish the change, or your own version with --content",
    "  reviews reject ID|PATH        keep the published version",
    "  workspaces                    list workspaces with counts of documents and reviews",
    "  workspaces create NAME        create a workspace and its first key; also close NAME, open NAME",
    "  workspaces remove NAME --yes  delete a workspace with all its documents and their history",
  ],
  examples: [
    "mdmirror serve admin keys",
    "mdmirror serve admin keys create --label laptop --grant /=edit --out key.txt",
  ],
  options: {
    data: { value: "DIR", help: "data folder of the service on this machine (default: .mdmirror-service)" },
    url: { value: "URL", help: "URL of a service on another machine" },
    "admin-key-file": {
      value: "FILE",
      help: "file with its administrator's key, a copy of the one in its data folder",
    },
    ...ALLOW_HTTP_OPTION,
    workspace: { value: "W", help: "the workspace, if there are several" },
    label: { value: "L", help: "name of a key" },
    grant: {
      value: "PATH=LEVEL",
      multiple: true,
      form: {
        words: "PATH=LEVEL, where LEVEL is full, edit, read, none; / is everything",
        isValid: (value) => /^.+=(?:full|edit|read|none)$/.test(value),
      },
      help: "access of a key to a folder or document; / is everything",
    },
    expires: { value: "WHEN", help: "30d, 12h, a date such as 2027-01-31, or never" },
    rate: {
      value: "N/S",
      form: RATE_FORM,
      help: "at most N requests by a key in S seconds (default: the limit of the service)",
    },
    out: { value: "FILE", help: "write a new key to FILE instead of printing it" },
    content: { value: "FILE", help: "publish the content of FILE; - reads standard input" },
    yes: { short: "y", help: "do not ask" },
    json: { help: "print one JSON object" },
  },
  operands: { usage: "keys|reviews|workspaces [VERB [NAME]]", least: 1, most: 3, words: SUBJECTS, offers: ["nothing"] },
  async run(io, args) {
    const [noun, verb = "list", operand = ""] = args.operands;
    const { ACTIONS } = await import("../admin/actions.ts");
    const actions = ACTIONS[noun as (typeof SUBJECTS)[number]];
    if (!Object.hasOwn(actions, verb))
      return refuseUsage(describeUnknownWord(`${noun} ${verb}`, verb, Object.keys(actions)));
    const action = actions[verb]!;
    refuseMisuse(io, args, verb, action);
    const session = unwrap(await openSession(io, args));
    try {
      return await action.run({ io, args, session, operand });
    } finally {
      await session.close();
    }
  },
};

function refuseMisuse(io: Io, args: Args, verb: string, { operandForm, options = [], check }: AdminAction): void {
  const extraOperands = args.operands.length - 2;
  if (operandForm !== undefined && extraOperands < 1) refuseUsage(`${verb} takes ${operandForm}`);
  if (operandForm === undefined && extraOperands > 0) refuseUsage(`${verb} takes no name`);
  const unusedOption = OWN_OPTIONS.find((name) => isOptionSet(args, name) && !options.includes(name));
  if (unusedOption !== undefined) refuseUsage(`--${unusedOption} does not go with ${verb}`);
  if ((args.text("url") === null) !== (args.text("admin-key-file") === null))
    refuseUsage("--url and --admin-key-file go together; --data is for a service on this machine");
  if (args.text("url") !== null && args.text("data") !== null) refuseUsage("it takes --data or --url, not both");
  check?.(args, io);
}

function isOptionSet(args: Args, name: (typeof OWN_OPTIONS)[number]): boolean {
  if (name === "yes") return args.flag(name);
  return name === "grant" ? args.texts(name).length > 0 : args.text(name) !== null;
}

async function openSession(io: Io, args: Args): Promise<Result<AdminSession>> {
  const { reachByFolder, reachByUrl } = await import("../../service/admin/reach.ts");
  const { openWire } = await import("../admin/open-wire.ts");
  const [url, keyFile] = [args.text("url"), args.text("admin-key-file")];
  if (url !== null && keyFile !== null) {
    return reachByUrl({ url, keyFile: resolve(io.cwd, keyFile), allowHttp: args.texts("allow-http"), openWire });
  }
  return reachByFolder(resolve(io.cwd, args.text("data") ?? DEFAULT_DATA), { clock: io.clock, openWire });
}
