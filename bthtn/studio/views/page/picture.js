// The page of `bthtn render --format html`: trees to choose from, what is known of a node.
//
// The data are {title, looks, trees: [{title, tree: node}, …]}.

import { legend, nodeFacts } from "./facts.js";
import { treeView } from "./tree.js";

const data = JSON.parse(document.getElementById("data").textContent);
const part = (id) => document.getElementById(id);
let view = null;

function show(index) {
  const { title, tree } = data.trees[index];
  view?.destroy();
  part("facts").replaceChildren();
  part("facts").hidden = true;
  view = treeView(part("tree"), { looks: data.looks, label: title, onSelect });
  view.update({ tree });
  part("legend").replaceChildren(...legend(tree, data.looks));
}

function onSelect(node) {
  part("facts").hidden = false;
  part("facts").replaceChildren(...nodeFacts(node, data.looks, (id) => view.select(id)));
}

function choice() {
  const options = data.trees.map(({ title }, index) => {
    const option = document.createElement("option");
    option.value = index;
    option.textContent = title;
    return option;
  });
  part("choice").append(...options);
  part("choice").hidden = options.length < 2;
  part("choice").addEventListener("change", () => show(Number(part("choice").value)));
}

choice();
part("fit").addEventListener("click", () => view.fit());
part("closer").addEventListener("click", () => view.zoom(1.25));
part("farther").addEventListener("click", () => view.zoom(0.8));
show(0);
