/**
 * Rules of commit messages: conventional form, and a subject of at most 72 characters that begins
 * with an imperative. There is no list of all imperatives, so the rule refuses other forms.
 */
const NO_VERB = new Set(
  `a all an and any as at both by each every few for from how if in it its less more most new no not now of on one only
  or other our some such than that the their there these they this those to two what when where which who why with`
    .trim()
    .split(/\s+/),
);
/** Matches past tense, gerund, third person and plural. */
const OTHER_FORM = /(?:ed|ing|[^s]s)$/;
const IMPERATIVES_LIKE_THEM = new Set(["bring", "embed", "exceed", "feed", "need", "proceed", "seed", "shed", "speed"]);

const TYPES = ["build", "chore", "ci", "docs", "feat", "fix", "perf", "refactor", "revert", "style", "test"];

/** Accepts the mark of a breaking change, which the default pattern does not. */
const HEADER = /^(\w*)(?:\(([\w$.\-*/ ]*)\))?!?: (.*)$/;

export default {
  parserPreset: {
    parserOpts: { headerPattern: HEADER, headerCorrespondence: ["type", "scope", "subject"] },
  },
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
          const [first = ""] = (subject ?? "").toLowerCase().split(" ");
          const isOther = OTHER_FORM.test(first) && !IMPERATIVES_LIKE_THEM.has(first);
          return [!isOther && !NO_VERB.has(first), `subject begins with an imperative, not "${first}"`];
        },
      },
    },
  ],
};
