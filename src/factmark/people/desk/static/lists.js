// What dialogs list: the documents, the annotator's own marks, the keys; and the questions on the
// guidelines.
import { desk, set } from "./desk.js";
import { html, part } from "./dom.js";
import { go } from "./pages.js";
import { toSpan } from "./source.js";
import { marksOf } from "./state.js";
import { slice, visible } from "./text.js";
import { documentName, stateOf } from "./words.js";
import { put } from "./work.js";

export const Documents = ({ state }) => {
  const { documents } = state.box;
  const show = (place) => {
    part("list").close();
    go(place);
  };
  return documents.map((one, n) => {
    const begins = documents[n - 1]?.batch !== one.batch;
    const current = n === state.number && state.page === "work";
    return html`<li>${begins && html`<b>${one.batch ? `Batch ${one.batch}` : "Training"}</b>`}
      <button type="button" aria-current=${current || null} onclick=${() => show(n)}>
        ${documentName(state, one)} ${n + 1}: ${stateOf(state, one)}</button></li>`;
  });
};

// Each mark, its source, where that is on the list first, and the number of its sentence.
const allMarks = (state) =>
  state.box.sources.flatMap((source, n) => {
    const place = state.box.documents.findIndex((shown) => shown.source === n);
    return marksOf(state, source).map((span) => {
      const number = source.sentences.findLast(([start]) => start <= span[0])?.[2] || "";
      return { place, span, number, quote: visible(slice(source.text, ...span)) };
    });
  });
export const Marks = ({ state }) => {
  const show = (place, span) => {
    part("marks").close();
    if (state.box.documents[place].source !== state.box.documents[state.number].source) go(place);
    toSpan(span);
  };
  return allMarks(state).map(({ place, span, number, quote }) => html`<li><button type="button" onclick=${() => show(place, span)}>
    <b>${place + 1}${number && `, sentence ${number}`}: </b>${quote}</button></li>`);
};
export const hasMarks = (state) => state.box.sources.some((source) => marksOf(state, source).length);

// A cell of a table as spreadsheets read it: no formula, whatever the text begins with.
const cell = (value) => `"${String(value).replace(/^[=+\-@\t\r]/u, "'$&").replaceAll('"', '""')}"`;
// Saves all marks as CSV; nothing goes to the server.
export const exportMarks = () => {
  const { documents } = desk.state.box;
  const rows = allMarks(desk.state).map(({ place, span, number, quote }) => [place + 1, documents[place].units[0].key, number, ...span, quote]);
  const text = [["document", "row", "sentence", "start", "end", "text"], ...rows].map((row) => row.map(cell).join(",")).join("\r\n");
  const href = URL.createObjectURL(new Blob([`${text}\r\n`], { type: "text/csv" }));
  Object.assign(document.createElement("a"), { href, download: "marks.csv" }).click();
  setTimeout(() => URL.revokeObjectURL(href), 10000);
};

// Questions on the guidelines, before the start: each is answered once, and then tells the right answer.
const Check = ({ state, check: { key, question, options } }) => {
  const label = state.answers[key]?.answer.label ?? null;
  const note = state.notes[key];
  const told = note && `${note.label === label ? "Right." : "Not right."} The right answer is: ${visible(options[Number(note.label) - 1])}. ${visible(note.text)}`;
  const choice = (option, n) => html`<label class="choice">
    <input type="radio" name=${key} value=${n + 1} checked=${label === `${n + 1}`} disabled=${label !== null}
      onchange=${() => put(key, { label: `${n + 1}` })} />${visible(option)}</label>`;
  return html`<fieldset class="check"><legend>${visible(question)}</legend>${options.map(choice)}
    <p class="aside" role="status" hidden=${!told}>${told}</p></fieldset>`;
};
export const Checks = ({ state }) => {
  const { checks } = state.box;
  return checks.length > 0 && html`<h3>Before you start</h3>${checks.map((check) => html`<${Check} state=${state} check=${check} />`)}`;
};

const helps = (box, several) => {
  const { noun, labels } = box;
  const choices = labels.map(({ key, label, meaning }) => [key, `${label.replaceAll("_", " ")}: ${meaning}`]);
  const marks = [["g", "mark what is selected as grounded"], ["u", "mark it as not grounded"]];
  const rows = [
    ...(labels.length ? choices : marks),
    several && ["a b c", `choose that ${noun}: the digit that follows may change its rating`],
    several && ["j k", `next and previous ${noun}`],
    ["Enter", several ? `go on: to the next ${noun}; once all are rated to the next page` : "go on to the next page, once this is answered"],
    ["n p", "next and previous page; also → and ←"],
    ["Tab", "to a choice or a button; Enter chooses it. Space and the other arrow keys only scroll"],
    ["t", "next that is to do"],
    ["/", "search in the source; Enter and Shift+Enter: next and previous place; Esc leaves it"],
    labels.length && ["h", "next place where the source likely says it; a click on a sentence does that too"],
    labels.length && ["s S", `next and previous sentence of the ${noun}, and its likely place`],
    ["m", "mark what is selected, in the source or in what is rated, or take the mark away"],
    several && ["v", "side by side, without the source; and back"],
    ["w", "write a comment on the one that was rated last; Esc leaves it"],
    ["l", "the list"],
    ["?", "these keys"],
  ];
  return rows.filter(Boolean);
};
const isSeveral = (box) => box.documents.some(({ units }) => units.length > 1);
export const Keys = ({ state: { box } }) =>
  helps(box, isSeveral(box)).map(([key, what]) => html`<div>
    <dt>${key.split(" ").map((one) => html`<kbd>${one}</kbd>${" "}`)}</dt><dd>${what}</dd></div>`);
export const keysLine = ({ box, keysOff }) => {
  if (keysOff) return "Keys are off; “Keys” turns them on.";
  const names = box.labels.map(({ key }) => key);
  const short = names.length ? `${names[0]}–${names.at(-1)} ${names.length === 6 ? "rate" : "answer"}` : "g u mark";
  const stays = isSeveral(box) ? `${short} what is framed · a b c choose` : `${short}, and stay`;
  return `Keys: ${stays} · Enter goes on · ${names.length ? "h likely place · " : ""}/ search · n p page · t next to do · w comment · ? all keys`;
};
export const useKeys = (on) => {
  desk.store.set("keys", on);
  set({ keysOff: !on });
};
