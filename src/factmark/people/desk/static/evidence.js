// What decided a rating: stretches of the source and of the rated text, sent with it. Pure but for
// the line that shows them.
import { make } from "./dom.js";
import { slice, visible } from "./text.js";

const WORDS = { source: "in the source", text: "here" };
const MOST = 60; // characters of a quote

const meets = (one, other) => one[0] === other[0] && one[1] < other[2] && other[1] < one[2];
const inOrder = (one, other) => (one[0] < other[0] ? -1 : one[0] > other[0] ? 1 : one[1] - other[1]);

// The stretches with one more; one that is there already goes.
export const toggled = (evidence, stretch) => {
  const same = evidence.some((one) => one.join() === stretch.join());
  const rest = evidence.filter((one) => !meets(one, stretch));
  return same ? rest : [...rest, stretch].sort(inOrder);
};

const quote = (text, [, start, end]) => {
  const words = visible(slice(text, start, end));
  return words.length > MOST ? `${words.slice(0, MOST)}…` : words;
};

// A line under a unit; `remove()` is called where all of it is to go.
export const buildEvidence = (unit, remove) => {
  const root = make("p", { className: "hint evidence-line", hidden: true });
  return {
    root,
    show(evidence, source, waits) {
      root.hidden = !evidence.length;
      if (!evidence.length) return root.replaceChildren();
      const quotes = evidence.map((one) => `“${quote(one[0] === "source" ? source : unit.text, one)}” (${WORDS[one[0]]})`);
      const button = make("button", { type: "button", textContent: "Remove" });
      button.setAttribute("aria-label", "Remove the places that were marked");
      button.addEventListener("click", remove);
      const later = waits ? " It is saved together with your rating." : "";
      return root.replaceChildren(`Decided by ${quotes.join(", ")}.${later} `, button);
    },
  };
};
