// Compiles what has hostile names.
import { Client } from "./hostile_bindings.js";

console.log(Client.tree.length);
