/**
 * Rules of commit messages: conventional form, subjects of at most 72 characters that begin with an
 * imperative. A verb that is missing below may be added.
 */
const VERBS = `
  accept add advise allow announce answer ask assert avoid begin bind block bound build bump bundle call carry change check
  choose close collect compare complete compute conclude convert copy correct count create cut decide declare delete
  deny derive describe detect disable document draw drop enable end ensure enforce exclude expect explain export
  extract fail find finish fix flatten fold follow foresee format fsync generate give group guard handle hide honour
  ignore implement import improve include index inline install interrupt join judge keep kill know land lead leave let limit
  link list load lock log look make map mark match measure merge migrate move name obey offer open order pass pause pin
  plan prefer prevent print protect prove publish put raise read rebuild recognise record recover reduce refactor
  refresh refuse register reject release rely remember remove rename reorder repair replace replay report require
  reset resolve restore restrict resume retry return reuse revert review rewrite route run save say scan secure send
  separate serve set shorten show shrink sign simplify skip sort speed spell split start state stop store stream
  support swap sync take tell test tighten track translate treat trust try turn type undo unify unlink update upgrade
  use validate verify wait walk warn watch widen wrap write
`
  .trim()
  .split(/\s+/);

const TYPES = ["build", "chore", "ci", "docs", "feat", "fix", "perf", "refactor", "revert", "style", "test"];

export default {
  rules: {
    "body-leading-blank": [2, "always"],
    "header-max-length": [2, "always", 72],
    "subject-empty": [2, "never"],
    "subject-full-stop": [2, "never", "."],
    "subject-imperative": [2, "always"],
    "type-enum": [2, "always", TYPES],
  },
  plugins: [
    {
      rules: {
        "subject-imperative": ({ subject }) => {
          const [first = ""] = (subject ?? "").split(" ");
          return [VERBS.includes(first), `subject begins with a verb of config/commitlint.config.mjs, not "${first}"`];
        },
      },
    },
  ],
};
