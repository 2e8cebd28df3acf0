// How views are written: templates of elements, whose texts are only ever set as text.
import htm from "./htm.js";
import { h } from "./preact.js";

export { render } from "./preact.js";
export const html = htm.bind(h);
export const part = (id) => document.getElementById(id);

// A control that saves: a click or Enter acts. It is no native button or input, on which Space and
// the arrow keys act as well: those scroll the page, wherever the focus is.
export const Control = ({ act, children, ...given }) => {
  const entered = (event) => {
    if (event.key !== "Enter" || event.target !== event.currentTarget) return;
    event.preventDefault();
    if (!event.repeat) act();
  };
  return html`<div role="button" tabindex="0" ...${given} onclick=${() => act()} onkeydown=${entered}>${children}</div>`;
};
