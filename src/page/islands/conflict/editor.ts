import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { MergeView, unifiedMergeView } from "@codemirror/merge";
import { EditorState, type Extension } from "@codemirror/state";
import { EditorView, keymap, lineNumbers } from "@codemirror/view";
import { LOOKS } from "./looks.ts";

/** Narrower than this, the texts stand in one column. */
const WIDE = "(min-width: 45rem)";

/** The field that is edited, the one that holds the other text, and what they are called. */
export type Sides = {
  readonly field: string;
  readonly other: string;
  readonly result: string;
  readonly beside: string;
};

type Texts = { readonly root: ShadowRoot; readonly field: HTMLTextAreaElement; readonly other: string };

/**
 * Puts an editor in the place of a field, which goes on to hold its text. Where it is already,
 * nothing is done.
 */
export function mountEditor(sides: Sides): void {
  const field = document.querySelector<HTMLTextAreaElement>(sides.field);
  const other = document.querySelector<HTMLTextAreaElement>(sides.other);
  if (field === null || other === null || field.previousElementSibling?.className === "editor") return;
  const { result, beside } = sides;
  const isWide = matchMedia(WIDE).matches;
  const host = boxBefore(
    field,
    isWide ? [beside, result] : [`${result}, with what ${beside.toLowerCase()} has instead`],
  );
  field.hidden = true;
  // An editor puts its styles into its root: as sheets, which the page's policy lets in, where that
  // is a shadow root.
  const texts = { root: host.attachShadow({ mode: "open" }), field, other: other.value };
  if (isWide) mountBeside(texts, sides);
  else mountUnified(texts, sides);
}

/** @returns the element for the editor, below what its columns are called */
function boxBefore(field: HTMLTextAreaElement, heads: readonly string[]): HTMLElement {
  const [box, head, host] = ["div", "p", "div"].map((tag) => document.createElement(tag)) as [
    HTMLElement,
    HTMLElement,
    HTMLElement,
  ];
  box.className = "editor";
  head.className = "heads";
  host.className = "texts";
  for (const text of heads) head.append(Object.assign(document.createElement("span"), { textContent: text }));
  box.append(head, host);
  field.before(box);
  return host;
}

function mountBeside({ root, field, other }: Texts, { result, beside }: Sides): void {
  const readOnly = [EditorState.readOnly.of(true), EditorView.editable.of(false), focusable()];
  new MergeView({
    root,
    parent: root,
    a: { doc: other, extensions: [...common(beside), ...readOnly] },
    b: { doc: field.value, extensions: [...common(result), written(field)] },
    revertControls: "a-to-b",
    renderRevertControl: () => takeButton(beside),
    collapseUnchanged: { margin: 3, minSize: 6 },
  });
}

/** Takes this place from the other text. */
function takeButton(beside: string): HTMLElement {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = "→";
  button.setAttribute("aria-label", `Take this place from ${beside.toLowerCase()}`);
  return button;
}

function mountUnified({ root, field, other }: Texts, { result }: Sides): void {
  const extensions = [...common(result), written(field), unifiedMergeView({ original: other })];
  new EditorView({ root, parent: root, doc: field.value, extensions });
}

/** A text that is read alone is scrolled and selected by the keyboard as well. */
function focusable(): Extension {
  return EditorView.contentAttributes.of({ tabindex: "0", role: "textbox", "aria-readonly": "true" });
}

/** Tab goes on to the next control, as everywhere on the page. */
function common(name: string): Extension[] {
  return [
    lineNumbers(),
    history(),
    keymap.of([...defaultKeymap, ...historyKeymap]),
    EditorView.lineWrapping,
    EditorView.contentAttributes.of({ "aria-label": name, dir: "auto" }),
    LOOKS,
  ];
}

function written(field: HTMLTextAreaElement): Extension {
  return EditorView.updateListener.of(({ docChanged, state }) => {
    if (docChanged) field.value = state.doc.toString();
  });
}
