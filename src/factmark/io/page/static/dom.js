// Small helpers for making elements; texts are only ever set as text.

export const make = (tag, { role, ...given }) => {
  const made = Object.assign(document.createElement(tag), given);
  if (role) made.setAttribute("role", role);
  return made;
};

export const choice = (input, ...inside) => {
  const label = make("label", { className: "choice" });
  label.append(input, ...inside);
  return label;
};
