// Texts as text, never as HTML, with stretches marked; positions count code points, as Python does.
import { findAll, fold } from "./alike.js";
import { html } from "./dom.js";

// What could hide or move text around it, as in report/text.py: it is spelled out.
const ODD =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069\p{Cs}\ufdd0-\ufdef\ufffe\uffff\u{e0000}-\u{e007f}]/gu;

export const points = (text) => {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
};

// The part of a text between two positions in code points.
export const slice = (text, start, end) => Array.from(text).slice(start, end).join("");

const spelled = (text) => {
  if (text === "\r") return "\n";
  return `[U+${text.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}]`;
};

// Pieces of a text: as it stands, or one odd character with what is shown for it.
function* pieces(text) {
  let from = 0;
  for (const found of text.matchAll(ODD)) {
    if (found.index > from) yield { text: text.slice(from, found.index) };
    const end = found.index + found[0].length;
    const broken = found[0] === "\r" && text[end] === "\n";
    yield { text: found[0], shown: broken ? "" : spelled(found[0]) };
    from = end;
  }
  if (from < text.length) yield { text: text.slice(from) };
}

// As plain text for a label or a list.
export const visible = (text) =>
  Array.from(pieces(text), (piece) => piece.shown ?? piece.text).join("");

// As children of an element: each odd character in an element of its own, which tells its size.
const written = (text) =>
  Array.from(pieces(text), (piece) =>
    piece.shown === undefined ? piece.text : html`<span data-odd=${points(piece.text)}>${piece.shown}</span>`,
  );

// A part of a text (an array of its code points) with stretches of it marked: {start, end, tag, ...}
// in order and apart from each other, with what else their elements have.
export const painted = (all, spans = [], from = 0, to = all.length) => {
  const part = (start, end) => written(all.slice(start, end).join(""));
  let at = from;
  const marked = spans.map(({ start, end, tag = "mark", ...given }) => {
    const before = part(at, start);
    at = end;
    return [before, html`<${tag} ...${given}>${part(start, end)}<//>`];
  });
  return [marked, part(at, to)];
};

// Which node stands for which part of a text that is painted in an element. What does not begin where
// the text before it ended says so (`data-at`).
export const mapOf = (element) => {
  const walk = document.createTreeWalker(element, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
  const map = [];
  let start = 0;
  while (walk.nextNode()) {
    const node = walk.currentNode;
    if (node.nodeType !== Node.TEXT_NODE) {
      start = Number(node.dataset.at ?? start);
      continue;
    }
    const { odd } = node.parentNode.dataset;
    const size = odd ? Number(odd) : points(node.data);
    map.push({ node, start, size, odd });
    start += size;
  }
  return map;
};

// A stretch of a painted text as a range of the page.
export const rangeOf = (map, [start, end]) => {
  const last = (at) => map.findLast((part) => part.start <= at) ?? map[0];
  const offset = (part, at) => {
    if (part.odd) return at > part.start ? part.node.length : 0;
    const inside = Math.max(0, Math.min(at - part.start, part.size));
    if (part.node.length === part.size) return inside;
    return Array.from(part.node.data).slice(0, inside).join("").length;
  };
  const range = document.createRange();
  const [from, to] = [last(start), last(Math.max(start, end - 1))];
  range.setStart(from.node, offset(from, start));
  range.setEnd(to.node, offset(to, end));
  return range;
};

// Where a boundary of a selection stands in the painted text; null where it is not in it.
const position = (map, node, offset) => {
  if (node.nodeType !== Node.TEXT_NODE) {
    const range = document.createRange();
    range.setStart(node, offset);
    const after = map.find((part) => range.comparePoint(part.node, 0) >= 0);
    const last = map.at(-1);
    return after?.start ?? (last ? last.start + last.size : null);
  }
  const part = map.find((one) => one.node === node);
  if (!part) return null;
  if (part.odd) return offset > 0 ? part.start + part.size : part.start;
  return part.start + points(node.data.slice(0, offset));
};

// The last selection, also while the focus is on a button that asks for it, as on a phone.
let kept = null;
document.addEventListener("selectionchange", () => {
  if (document.activeElement?.closest("#mark, .marking")) return;
  const chosen = document.getSelection();
  kept = chosen?.rangeCount && !chosen.isCollapsed ? chosen.getRangeAt(0).cloneRange() : null;
});
export const unselect = () => {
  kept = null;
  document.getSelection()?.removeAllRanges();
};

// The selected part of a painted text without blanks around it, or null.
export const selected = (element, text) => {
  const chosen = document.getSelection();
  const range = (chosen?.rangeCount && !chosen.isCollapsed ? chosen.getRangeAt(0) : kept)?.cloneRange();
  if (!range?.intersectsNode(element)) return null;
  if (!element.contains(range.startContainer)) range.setStart(element, 0);
  if (!element.contains(range.endContainer)) range.setEnd(element, element.childNodes.length);
  const map = mapOf(element);
  let start = position(map, range.startContainer, range.startOffset);
  let end = position(map, range.endContainer, range.endOffset);
  if (start === null || end === null) return null;
  const all = Array.from(text);
  while (start < end && /\s/u.test(all[start])) start += 1;
  while (end > start && /\s/u.test(all[end - 1])) end -= 1;
  return start < end ? [start, end] : null;
};

// The first place of words in a text that is free.
export const find = (text, words, taken) => {
  const free = ({ start, end }) => !taken.some((span) => span[0] < end && start < span[1]);
  const place = findAll(fold(text), words).find((hit) => !hit.about && free(hit));
  return place ? [place.start, place.end] : null;
};
