// For people of a crowd: once the desk says that all is done, or takes nothing more, the way out shows.
const part = (id) => document.getElementById(id);
const show = () => {
  const finished = /^All done\. /.test(part("finished").textContent);
  part("completion").hidden = !(finished || part("state").dataset.state === "closed");
};
const watch = new MutationObserver(show);
watch.observe(part("finished"), { childList: true, characterData: true, subtree: true });
watch.observe(part("state"), { attributes: true, childList: true });
show();
