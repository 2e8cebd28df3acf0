// What each key does, as a list in a dialog and in short at the foot of the page.
import { make } from "./dom.js";

const part = (id) => document.getElementById(id);

const moves = (box, several) => [
  ...(several ? [["a b c", `choose that ${box.noun}: the digit that follows may change its rating`]] : []),
  ...(several ? [["j k", `next and previous ${box.noun}`]] : []),
  ["Enter", several ? `go on: to the next ${box.noun}; once all are rated to the next page` : "go on to the next page, once this is answered"],
  ["n p", "next and previous page; also → and ←"],
  ["Tab", "to a choice or a button; Enter chooses it. Space and the other arrow keys only scroll"],
  ["t", "next that is to do"],
];
const finds = (box) => [
  ["/", "search in the source; Enter and Shift+Enter: next and previous place; Esc leaves it"],
  ["h", "next place where the source likely says it; a click on a sentence does that too"],
  ["s S", `next and previous sentence of the ${box.noun}, and its likely place`],
];

// Writes both; `on` tells whether keys are used.
export const writeKeys = (box, on) => {
  const labels = box.labels.map(({ key, label, meaning }) => [key, `${label.replaceAll("_", " ")}: ${meaning}`]);
  const marks = [["g", "mark what is selected as grounded"], ["u", "mark it as not grounded"]];
  const several = box.documents.some((one) => one.units.length > 1);
  const rows = [
    ...(labels.length ? labels : marks),
    ...moves(box, several),
    ...(labels.length ? finds(box) : finds(box).slice(0, 1)),
    ["m", "mark what is selected, in the source or in what is rated, or take the mark away"],
    ...(several ? [["v", "side by side, without the source; and back"]] : []),
    ["w", "write a comment on the one that was rated last; Esc leaves it"],
    ["l", "the list"],
    ["?", "these keys"],
  ];
  part("keys-list").replaceChildren(
    ...rows.map(([key, what]) => {
      const row = make("div", {});
      const name = make("dt", {});
      name.append(...key.split(" ").flatMap((one) => [make("kbd", { textContent: one }), " "]));
      row.append(name, make("dd", { textContent: what }));
      return row;
    }),
  );
  part("use-keys").checked = on;
  const names = box.labels.map(({ key }) => key);
  const short = names.length ? `${names[0]}–${names.at(-1)} ${names.length === 6 ? "rate" : "answer"}` : "g u mark";
  const stays = several ? `${short} what is framed · a b c choose · Enter goes on` : `${short}, and stay · Enter goes on`;
  part("keys-line").textContent = on
    ? `Keys: ${stays} · ${names.length ? "h likely place · " : ""}/ search · n p page · t next to do · w comment · ? all keys`
    : "Keys are off; “Keys” turns them on.";
};
