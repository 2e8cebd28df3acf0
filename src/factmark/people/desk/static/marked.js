// The annotator's own marks in all sources: a list, and a file to keep.
import { make } from "./dom.js";
import { slice, visible } from "./text.js";

const part = (id) => document.getElementById(id);

// Each source with marks: where it is on the list first, and its marks.
const marked = (box, source) =>
  box.sources.flatMap((one, n) => {
    const place = box.documents.findIndex((shown) => shown.source === n);
    return source.marks(one.id).map((span) => ({ one, place, span }));
  });

// Fills the list; `go(place, span)` is called with a mark to be shown.
export const listMarks = (box, source, go) => {
  const rows = marked(box, source).map(({ one, place, span }) => {
    const item = make("li", {});
    const number = source.numberAt(span[0], one);
    const quote = visible(slice(one.text, ...span));
    const show = make("button", { type: "button" });
    show.append(make("b", { textContent: `${place + 1}${number && `, sentence ${number}`}: ` }), quote);
    show.addEventListener("click", () => go(place, span));
    item.append(show);
    return item;
  });
  part("marks-list").replaceChildren(...rows);
  part("export").disabled = !rows.length;
};

// A cell of a table as spreadsheets read it: no formula, whatever the text begins with.
const cell = (value) => `"${String(value).replace(/^[=+\-@\t\r]/u, "'$&").replaceAll('"', '""')}"`;

// Saves all marks as CSV; nothing goes to the server.
export const exportMarks = (box, source) => {
  const rows = marked(box, source).map(({ one, place, span }) => {
    const key = box.documents[place].units[0].key;
    return [place + 1, key, source.numberAt(span[0], one), ...span, visible(slice(one.text, ...span))];
  });
  const text = [["document", "row", "sentence", "start", "end", "text"], ...rows].map((row) => row.map(cell).join(",")).join("\r\n");
  const url = URL.createObjectURL(new Blob([`${text}\r\n`], { type: "text/csv" }));
  make("a", { href: url, download: "marks.csv" }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
};
