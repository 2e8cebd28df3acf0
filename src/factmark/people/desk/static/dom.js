// Small helpers for making elements; texts are only ever set as text.

export const make = (tag, { role, ...given }) => {
  const made = Object.assign(document.createElement(tag), given);
  if (role) made.setAttribute("role", role);
  return made;
};

// A control that saves: a click or Enter acts. It is no native button or input, on which Space and
// the arrow keys act as well: those scroll the page, wherever the focus is.
export const control = (className, act, ...inside) => {
  const shown = make("div", { className, role: "button", tabIndex: 0 });
  shown.append(...inside);
  shown.addEventListener("click", act);
  shown.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.target !== shown) return;
    event.preventDefault();
    if (!event.repeat) act();
  });
  return shown;
};
export const press = (shown, pressed) => shown.setAttribute("aria-pressed", Boolean(pressed));
