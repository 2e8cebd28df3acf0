// Questions on the guidelines, before the start: each is answered once, and then tells the right answer.
import { make } from "./dom.js";
import { visible } from "./text.js";

// Builds the questions into an element; `choose(key, label)` is called with an answer.
export const buildChecks = (into, checks, choose) => {
  const shown = checks.map(({ key, question, options }) => {
    const root = make("fieldset", { className: "check" });
    const told = make("p", { className: "aside", hidden: true });
    told.setAttribute("role", "status");
    const inputs = options.map((option, place) => {
      const line = make("label", { className: "choice" });
      const input = make("input", { type: "radio", name: key, value: `${place + 1}` });
      input.addEventListener("change", () => choose(key, input.value));
      line.append(input, visible(option));
      root.append(line);
      return input;
    });
    root.prepend(make("legend", { textContent: visible(question) }));
    root.append(told);
    return { root, key, options, inputs, told };
  });
  const head = make("h3", { textContent: "Before you start" });
  into.replaceChildren(...(shown.length ? [head] : []), ...shown.map(({ root }) => root));

  return {
    // Shows what was answered, and the right answer where it is told.
    show(answers, notes) {
      for (const { key, options, inputs, told } of shown) {
        const label = answers[key]?.answer.label ?? null;
        const note = notes[key];
        inputs.forEach((input) => {
          input.checked = input.value === label;
          input.disabled = label !== null;
        });
        const right = note ? `The right answer is: ${visible(options[Number(note.label) - 1])}.` : "";
        const words = note ? `${note.label === label ? "Right. " : "Not right. "}${right} ${visible(note.text)}` : "";
        if (told.textContent !== words) told.textContent = words;
        told.hidden = !words;
      }
    },
    open: (answers) => shown.some(({ key }) => !answers[key]),
  };
};
