// Sources of lines: a program on this machine, or the text of a recording.
//
//   readProgram({onLines: (lines) => …, onEnd, onLost})   lines: an array of objects; returns a
//                                                         function that reads no more
//   ask(question), command(request)                       async; throw an Error with what is wrong
//   readFile(file)                                        async; the lines of a recording
//   linesOf(text)                                         its whole lines; the last may be cut off

export const token = location.hash.slice(1);

export function readProgram({ onLines, onEnd, onLost }) {
  const stream = new EventSource("lines");
  stream.onmessage = (event) => onLines(linesOf(event.data));
  stream.addEventListener("end", () => {
    stream.close();
    onEnd();
  });
  stream.onerror = () => {
    stream.close(); // a new stream would begin anew, with what this page has already
    onLost();
  };
  return () => stream.close();
}

export const ask = (question) => post("ask", question);
export const command = (request) => post("do", request);

async function post(path, body) {
  const headers = { "Content-Type": "application/json", Authorization: `Bearer ${token}` };
  let answer;
  try {
    answer = await fetch(path, { method: "POST", headers, body: JSON.stringify(body) });
  } catch {
    throw new Error("the program does not answer any more");
  }
  const found = await answer.json();
  if (!answer.ok) throw new Error(found.refused);
  return found.answer;
}

export const readFile = async (file) => {
  const gzipped = file.name.endsWith(".gz");
  const stream = gzipped ? file.stream().pipeThrough(new DecompressionStream("gzip")) : file.stream();
  return linesOf(await readable(stream));
};

// What can be read of a stream: of one that is cut off, the beginning.
async function readable(stream) {
  const decoder = new TextDecoder();
  const reader = stream.getReader();
  let text = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return text + decoder.decode();
      text += decoder.decode(value, { stream: true });
    }
  } catch {
    return text;
  }
}

export function linesOf(text) {
  const found = [];
  for (const line of text.split("\n")) {
    if (!line.trim()) continue;
    try {
      found.push(JSON.parse(line));
    } catch {
      break; // cut off while it was written
    }
  }
  return found;
}
