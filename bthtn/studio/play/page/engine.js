// The connection to bthtn: all that a game needs to let its characters think there.
//
//   engine = new Engine(address, {token, onItem, onLost})
//   await engine.begin(names, events)     a character of each name
//   engine.frame(items, seconds)          what the characters are told; onItem(answer) for each that ticked
//   engine.isReady                        whether the frame before was answered
//   engine.last                           {milliseconds, ticked} of the latest frame
//
// The protocol is docs/engine-protocol.md: a request has one verb, and each is answered, in order.

const PROTOCOL = "bthtn-engine/1";

export class Engine {
  constructor(address, { token, onItem, onLost }) {
    this.token = token;
    this.onItem = onItem;
    this.waiting = []; // for each request that is not answered, what to do with the answer
    this.last = { milliseconds: 0, ticked: 0 };
    this.socket = new WebSocket(address);
    this.socket.onmessage = ({ data }) => this.waiting.shift()(JSON.parse(data));
    this.socket.onclose = () => onLost();
    this.opened = new Promise((resolve) => {
      this.socket.onopen = resolve;
    });
  }

  async begin(names, events) {
    await this.opened;
    await this.ask({ hello: { protocol: PROTOCOL, token: this.token } });
    await this.ask({ subscribe: { events, text: true } });
    const { list } = await this.ask({ list: [] }); // of a page that was here before
    if (list.length) await this.ask({ dismiss: list.map((one) => one.character) });
    const { spawn } = await this.ask({ spawn: names.map((character) => ({ character })) });
    for (const one of spawn) if (one.error) throw new Error(one.error.message);
  }

  get isReady() {
    return this.waiting.length === 0;
  }

  async frame(items, seconds) {
    const began = performance.now();
    const { frame } = await this.ask({ frame: items, seconds, due: true });
    this.last = { milliseconds: performance.now() - began, ticked: frame.length };
    for (const one of frame) this.onItem(one);
  }

  // The answer to a request. Throws what bthtn finds wrong with it.
  async ask(request) {
    const answer = await new Promise((resolve) => {
      this.waiting.push(resolve);
      this.socket.send(JSON.stringify(request));
    });
    if (answer.error) throw new Error(`${answer.error.message}${answer.error.hint ? `: ${answer.error.hint}` : ""}`);
    return answer;
  }
}
