// Texts as text, never as HTML, with stretches marked; positions count code points, as Python does.

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

// Writes a text into an element; `spans` are {start, end, kind, title}, apart from each other.
// Returns which node stands for which part, for `position`.
export const paint = (element, text, spans = []) => {
  const all = Array.from(text);
  const map = [];
  let at = 0;
  const write = (into, from, to) => {
    for (const piece of pieces(all.slice(from, to).join(""))) {
      const node = document.createTextNode(piece.shown ?? piece.text);
      const size = points(piece.text);
      map.push({ node, start: at, size, odd: piece.shown !== undefined });
      at += size;
      into.append(node);
    }
  };
  element.replaceChildren();
  for (const span of [...spans].sort((a, b) => a.start - b.start)) {
    write(element, at, span.start);
    const mark = document.createElement("mark");
    mark.className = span.kind;
    if (span.title) mark.title = span.title;
    write(mark, span.start, span.end);
    element.append(mark);
  }
  write(element, at, all.length);
  return map;
};

// Where a boundary of a selection stands in the painted text; null where it is not in it.
const position = (map, node, offset) => {
  if (node.nodeType !== Node.TEXT_NODE) {
    const range = document.createRange();
    range.setStart(node, offset);
    const after = map.find((part) => range.comparePoint(part.node, 0) >= 0);
    const last = map[map.length - 1];
    return after ? after.start : last ? last.start + last.size : null;
  }
  const part = map.find((one) => one.node === node);
  if (!part) return null;
  if (part.odd) return offset > 0 ? part.start + part.size : part.start;
  return part.start + points(node.data.slice(0, offset));
};

// The selected part of a painted text without blanks around it, or null.
export const selected = (element, map, text) => {
  const chosen = document.getSelection();
  if (!chosen || chosen.rangeCount === 0 || chosen.isCollapsed) return null;
  const range = chosen.getRangeAt(0).cloneRange();
  if (!range.intersectsNode(element)) return null;
  if (!element.contains(range.startContainer)) range.setStart(element, 0);
  if (!element.contains(range.endContainer)) range.setEnd(element, element.childNodes.length);
  let start = position(map, range.startContainer, range.startOffset);
  let end = position(map, range.endContainer, range.endOffset);
  if (start === null || end === null) return null;
  const all = Array.from(text);
  while (start < end && /\s/u.test(all[start])) start += 1;
  while (end > start && /\s/u.test(all[end - 1])) end -= 1;
  return start < end ? [start, end] : null;
};

// Where words stand in a text, the first place that is free; case and line breaks do not matter.
export const find = (text, words, taken) => {
  const wanted = words.trim().split(/\s+/u);
  if (!wanted[0]) return null;
  const pattern = wanted.map((word) => word.replace(/[\\^$.*+?()[\]{}|/]/gu, "\\$&")).join("\\s+");
  for (const found of text.matchAll(new RegExp(pattern, "giu"))) {
    const start = points(text.slice(0, found.index));
    const end = start + points(found[0]);
    if (!taken.some((span) => span[0] < end && start < span[1])) return [start, end];
  }
  return null;
};
