import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { MergeView, unifiedMergeView } from "@codemirror/merge";
import { EditorState, type Extension } from "@codemirror/state";
import { EditorView, keymap, lineNumbers } from "@codemirror/view";
import { LOOKS } from "./looks.ts";

/** Narrower than this, the texts stand in one column. */
const WIDE = "(min-width: 45rem)";

type Texts = { readonly root: ShadowRoot; readonly field: HTMLTextAreaElement; readonly other: string };

/**
 * Puts an editor in the place of the result's field, which goes on to hold its text. Where it is
 * already, nothing is done.
 */
export function mountEditor(): void {
  const field = document.querySelector<HTMLTextAreaElement>("textarea#result-text[data-keep]");
  const other = document.querySelector<HTMLTextAreaElement>("textarea#result-other");
  if (field === null || other === null || field.previousElementSibling?.className === "editor") return;
  const isWide = matchMedia(WIDE).matches;
  const host = boxBefore(field, isWide ? ["Theirs", "The result"] : ["The result, with what theirs has instead"]);
  field.hidden = true;
  // An editor puts its styles into its root: as sheets, which the page's policy lets in, where that
  // is a shadow root.
  const texts = { root: host.attachShadow({ mode: "open" }), field, other: other.value };
  if (isWide) mountBeside(texts);
  else mountUnified(texts);
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

function mountBeside({ root, field, other }: Texts): void {
  const readOnly = [EditorState.readOnly.of(true), EditorView.editable.of(false), focusable()];
  new MergeView({
    root,
    parent: root,
    a: { doc: other, extensions: [...common("Theirs"), ...readOnly] },
    b: { doc: field.value, extensions: [...common("Result"), written(field)] },
    revertControls: "a-to-b",
    renderRevertControl: takeButton,
    collapseUnchanged: { margin: 3, minSize: 6 },
  });
}

/** Takes this place from theirs. */
function takeButton(): HTMLElement {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = "→";
  button.setAttribute("aria-label", "Take this place from theirs");
  return button;
}

function mountUnified({ root, field, other }: Texts): void {
  const extensions = [...common("Result"), written(field), unifiedMergeView({ original: other })];
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
