// Written by bthtn bindings. When the character has changed, write it again.

using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Text;

namespace Bthtn.$namespace
{
$types
    /// <summary>A step that bthtn has started, until you say how it ended.</summary>
    public class Step
    {
        public readonly long Number;
        public readonly string Agent;
        public readonly string Task;
        public readonly string Template;
        public readonly Dictionary<string, object> Args;
        /// <summary>How long it is expected to take, if that is known.</summary>
        public readonly double? Seconds;
        public readonly double? Ticks;
        public bool IsAborted { get; internal set; }
        private readonly Character character;

        internal Step(Character character, object told)
        {
            this.character = character;
            Number = Json.Int(Json.Of(told, "step"));
            Agent = (string)Json.Of(told, "agent");
            Task = (string)Json.Of(told, "task");
            Template = (string)Json.Of(told, "template");
            Args = (Dictionary<string, object>)Json.Of(told, "args");
            Seconds = Json.MaybeFloat(Json.Of(told, "seconds"));
            Ticks = Json.MaybeFloat(Json.Of(told, "ticks"));
        }

        public void Succeed()
        {
            character.End(this, true);
        }

        public void Fail(string reason = "")
        {
            character.End(this, reason == "" ? (object)false : reason);
        }

        /// <summary>How far it is, from 0 to 1, for people who watch.</summary>
        public void Progress(double part)
        {
            character.Note(this, part);
        }

        /// <summary>How far it is, in words, for people who watch.</summary>
        public void Progress(string words)
        {
            character.Note(this, words);
        }
    }

    /// <summary>What all agents have: what they tell bthtn, and what it asks of them.</summary>
    public abstract class Agent
    {
        public readonly string AgentName;
        /// <summary>The character that it belongs to, once it is spawned.</summary>
        public Character Character { get; internal set; }
        private readonly Dictionary<string, object> said = new Dictionary<string, object>();
        private readonly Dictionary<string, string> told = new Dictionary<string, string>();
        private readonly Dictionary<string, string> untold = new Dictionary<string, string>();

        protected Agent(string agentName)
        {
            AgentName = agentName;
        }

        /// <summary>Do a step.</summary>
        public abstract void Start(Step step);

        /// <summary>A step is given up: stop doing it.</summary>
        public virtual void OnAbort(Step step)
        {
        }

        /// <summary>Make a belief unknown.</summary>
        public void Forget(string fluent)
        {
            Tell(fluent, null, "unknown");
            said.Remove(fluent);
        }

        /// <summary>Send what is told next even if it is what was told before.</summary>
        public void Retell()
        {
            told.Clear();
        }

        internal T Said<T>(string fluent, T atFirst)
        {
            object value;
            return said.TryGetValue(fluent, out value) ? (T)value : atFirst;
        }

        /// <summary>Tell a value, which JSON has in another form.</summary>
        internal void Tell(string fluent, object value, object json)
        {
            said[fluent] = value;
            var text = Json.Write(json);
            string before;
            if (told.TryGetValue(fluent, out before) && before == text)
                untold.Remove(fluent);
            else
                untold[fluent] = text;
        }

        /// <summary>The beliefs that have changed, as JSON, and from now on are told.</summary>
        internal string TakeUntold()
        {
            var texts = untold.Select(one => Json.Write(one.Key) + ":" + one.Value).ToArray();
            foreach (var one in untold)
                told[one.Key] = one.Value;
            untold.Clear();
            return string.Join(",", texts);
        }
    }

    /// <summary>Beliefs that there is one of for each index: Value["Jab"] = 3.</summary>
    public class Family<TIndex, T>
    {
        private readonly Agent agent;
        private readonly string fluent;
        private readonly T atFirst;
        private readonly Func<TIndex, object> indexToJson;
        private readonly Func<T, object> toJson;

        internal Family(Agent agent, string fluent, T atFirst, Func<TIndex, object> indexToJson, Func<T, object> toJson)
        {
            this.agent = agent;
            this.fluent = fluent;
            this.atFirst = atFirst;
            this.indexToJson = indexToJson;
            this.toJson = toJson;
        }

        public T this[TIndex index]
        {
            get { return agent.Said(Name(index), atFirst); }
            set { agent.Tell(Name(index), value, toJson(value)); }
        }

        public void Forget(TIndex index)
        {
            agent.Forget(Name(index));
        }

        private string Name(TIndex index)
        {
            var json = indexToJson(index);
            var parts = json as List<object> ?? new List<object> { json };
            return fluent + "[" + string.Join(", ", parts.Select(part => part == null ? "none" : Json.Write(part)).ToArray()) + "]";
        }
    }

    /// <summary>A character that bthtn decides for: one agent, or several.</summary>
    public class Character
    {
        public readonly string Name;
        public readonly Agent[] Agents;
        public long Tick { get; private set; }
        public string Status { get; private set; }
        public bool Finished { get; private set; }
        /// <summary>In how many seconds it has to be ticked if it is told nothing, null for never.</summary>
        public double? Due { get; private set; }
        public readonly SortedDictionary<long, Step> Open = new SortedDictionary<long, Step>();
        private Dictionary<string, object> ended = new Dictionary<string, object>();
        private Dictionary<string, object> progress = new Dictionary<string, object>();

        internal Character(string name, Agent[] agents)
        {
            Name = name;
            Agents = agents;
            Status = "INVALID";
            Due = 0;
            foreach (var agent in agents)
                agent.Character = this;
        }

        internal void End(Step step, object outcome)
        {
            ended[step.Number.ToString(CultureInfo.InvariantCulture)] = outcome;
            Open.Remove(step.Number);
        }

        internal void Note(Step step, object far)
        {
            if (Open.ContainsKey(step.Number))
                progress[step.Number.ToString(CultureInfo.InvariantCulture)] = far;
        }

        /// <summary>What there is to tell, as an item of a frame; empty if it is nothing and not asked for.</summary>
        internal string TakeItem(bool always)
        {
            var told = Agents.Select(agent => agent.TakeUntold()).ToArray();
            var beliefs = told[0];
            if (Agents.Length > 1)
            {
                var own = Agents.Select((agent, i) => Json.Write(agent.AgentName) + ":{" + told[i] + "}");
                beliefs = string.Join(",", own.Where((_, i) => told[i] != "").ToArray());
            }
            if (!always && beliefs == "" && ended.Count == 0 && progress.Count == 0)
                return "";
            var item = "{\"character\":" + Json.Write(Name);
            if (beliefs != "")
                item += ",\"beliefs\":{" + beliefs + "}";
            if (ended.Count > 0)
                item += ",\"ended\":" + Json.Write(ended);
            if (progress.Count > 0)
                item += ",\"progress\":" + Json.Write(progress);
            // The effects of a step that ends may change what was told.
            if (ended.Count > 0)
                Retell();
            ended.Clear();
            progress.Clear();
            return item + "}";
        }

        internal void Retell()
        {
            foreach (var agent in Agents)
                agent.Retell();
        }

        /// <summary>Take over what a frame has answered, and call the agents.</summary>
        internal void Hear(object item, string[] aborts)
        {
            Tick = Json.Int(Json.Of(item, "tick"));
            Status = (string)Json.Of(item, "status");
            Finished = (bool)Json.Of(item, "finished");
            var asked = ((Dictionary<string, object>)item).ContainsKey("due"); // by Frame alone
            Due = asked ? Json.MaybeFloat(Json.Of(item, "due")) : 0;
            GiveUp(item, aborts);
            var steps = Json.List(Json.Of(item, "starts")).Select(told => new Step(this, told)).ToList();
            foreach (var step in steps)
                Open[step.Number] = step;
            foreach (var step in steps)
                AgentOf(step).Start(step);
        }

        /// <summary>Let the agents stop steps; those of some tasks stay open until you say that they have ended.</summary>
        internal void GiveUp(object item, string[] staying)
        {
            foreach (var number in Json.List(Json.Of(item, "aborts")).Select(Json.Int))
            {
                Step step;
                if (!Open.TryGetValue(number, out step))
                    continue; // it ended while bthtn was giving it up
                step.IsAborted = true;
                if (!staying.Contains(step.Task))
                    Open.Remove(number);
                AgentOf(step).OnAbort(step);
            }
        }

        private Agent AgentOf(Step step)
        {
            return Agents.First(agent => agent.AgentName == step.Agent);
        }
    }

    /// <summary>An error that bthtn has answered.</summary>
    public class BthtnError : Exception
    {
        public readonly string Code;

        public BthtnError(string code, string message) : base(message)
        {
            Code = code;
        }
    }

    /// <summary>A connection to bthtn serve.</summary>
    public class Client : IDisposable
    {
        public const string Tree = $tree;
        public const string Hash = $hash;
        /// <summary>Hears of what is wrong and does not stop the game.</summary>
        public Action<string> Warn = Console.Error.WriteLine;
        public readonly SortedDictionary<string, Character> Characters =
            new SortedDictionary<string, Character>(StringComparer.Ordinal);
        private readonly TextWriter requests;
        private readonly TextReader answers;
        private readonly string[] aborts;
        private Process child;

        /// <summary>
        /// Starts bthtn serve. The aborts of the tasks that aborts names take time: say when such
        /// a step has ended.
        /// </summary>
        public static Client Start(string command = "bthtn", string arguments = $serve, params string[] aborts)
        {
            var start = new ProcessStartInfo(command, arguments)
            {
                UseShellExecute = false,
                CreateNoWindow = true,
                RedirectStandardInput = true,
                RedirectStandardOutput = true,
            };
            var child = Process.Start(start);
            var utf8 = new UTF8Encoding(false);
            var requests = new StreamWriter(child.StandardInput.BaseStream, utf8);
            return new Client(requests, new StreamReader(child.StandardOutput.BaseStream, utf8), aborts) { child = child };
        }

        /// <summary>Over any streams of lines, such as those of a socket.</summary>
        public Client(TextWriter requests, TextReader answers, params string[] aborts)
        {
            this.requests = requests;
            this.answers = answers;
            this.aborts = aborts;
        }

        /// <summary>Agree with bthtn on what is spoken; over a socket with the token that it has printed.</summary>
        public void Hello(string token = null)
        {
            var asked = new Dictionary<string, object> { { "protocol", "bthtn-engine/1" }, { "aborts", aborts.ToList<object>() } };
            if (token != null)
                asked["token"] = token;
            var hello = Ask("hello", asked);
            if ((string)Json.Of(hello, "hash") != Hash)
                Warn(Json.Of(hello, "tree") + " has changed since its bindings were written: write them again");
        }

        /// <summary>Let a character live, whose agents are these.</summary>
        public Character Spawn(string name, params Agent[] agents)
        {
            return Spawn(name, null, agents);
        }

        /// <summary>Let a character live, whose agents are these, with a seed of its own.</summary>
        public Character Spawn(string name, long? seed, params Agent[] agents)
        {
            var asked = new Dictionary<string, object> { { "character", name } };
            if (seed != null)
                asked["seed"] = seed.Value;
            var item = Json.List(Ask("spawn", new List<object> { asked }))[0];
            RaiseErrorOf(item);
            var needed = Json.List(Json.Of(item, "agents")).Cast<string>();
            var given = agents.Select(agent => agent.AgentName);
            if (!needed.OrderBy(one => one).SequenceEqual(given.OrderBy(one => one)))
            {
                Ask("dismiss", new List<object> { name });
                throw new ArgumentException(name + " has the agents " + string.Join(", ", needed.ToArray()) + "; these were given: " + string.Join(", ", given.ToArray()));
            }
            return Characters[name] = new Character(name, agents);
        }

        /// <summary>Let a character live no more.</summary>
        public void Dismiss(Character character)
        {
            Characters.Remove(character.Name);
            var item = Json.List(Ask("dismiss", new List<object> { character.Name }))[0];
            RaiseErrorOf(item);
            character.GiveUp(item, new string[0]);
        }

        /// <summary>Tick the characters that have something to tell, and those that are due.</summary>
        public void Frame(double seconds = 0)
        {
            Pass(seconds, false);
        }

        /// <summary>Tick all characters.</summary>
        public void TickAll(double seconds = 0)
        {
            Pass(seconds, true);
        }

        /// <summary>Ask anything of the protocol, with dictionaries and lists; what is answered.</summary>
        public object Ask(string verb, object value)
        {
            return Request(verb, "{" + Json.Write(verb) + ":" + Json.Write(value) + "}");
        }

        public void Dispose()
        {
            requests.Dispose();
            if (child != null)
                child.WaitForExit();
            answers.Dispose();
        }

        private void Pass(double seconds, bool all)
        {
            var items = Characters.Values.Select(character => character.TakeItem(all)).Where(item => item != "");
            var line = "{\"frame\":[" + string.Join(",", items.ToArray()) + "]";
            if (seconds > 0)
                line += ",\"seconds\":" + Json.Write(seconds);
            if (!all)
                line += ",\"due\":true";
            foreach (var item in Json.List(Request("frame", line + "}")))
            {
                Character character;
                if (!Characters.TryGetValue((string)Json.Of(item, "character") ?? "", out character))
                    continue; // it was dismissed in the meantime
                var error = Json.Of(item, "error");
                var faults = error != null ? new List<object> { error } : Json.List(Json.Of(item, "refused") ?? new List<object>());
                foreach (var fault in faults)
                    Warn(AsText(fault));
                if (faults.Count > 0)
                    character.Retell();
                if (error == null)
                    character.Hear(item, aborts);
            }
        }

        private object Request(string verb, string line)
        {
            requests.Write(line + "\n");
            requests.Flush();
            var text = answers.ReadLine();
            if (text == null)
                throw new IOException("bthtn serve has ended");
            var answer = Json.Read(text);
            RaiseErrorOf(answer);
            return Json.Of(answer, verb);
        }

        private static void RaiseErrorOf(object answer)
        {
            var error = Json.Of(answer, "error");
            if (error != null)
                throw new BthtnError((string)Json.Of(error, "code"), AsText(error));
        }

        private static string AsText(object error)
        {
            var text = "[" + Json.Of(error, "code") + "] " + Json.Of(error, "message");
            foreach (var part in new[] { "where", "hint" })
                if ((string)Json.Of(error, part) != "")
                    text += "\n  " + part + ": " + Json.Of(error, part);
            return text;
        }
    }

    /// <summary>JSON as dictionaries, lists, strings, longs, doubles, bools and null.</summary>
    public static class Json
    {
        public static object Read(string text)
        {
            var at = 0;
            return Value(text, ref at);
        }

        public static string Write(object value)
        {
            var text = new StringBuilder();
            Write(value, text);
            return text.ToString();
        }

        /// <summary>The value of a key, null if there is none.</summary>
        public static object Of(object json, string key)
        {
            object value;
            ((Dictionary<string, object>)json).TryGetValue(key, out value);
            return value;
        }

        public static List<object> List(object json)
        {
            return (List<object>)json;
        }

        public static long Int(object json)
        {
            return Convert.ToInt64(json, CultureInfo.InvariantCulture);
        }

        public static double Float(object json)
        {
            return Convert.ToDouble(json, CultureInfo.InvariantCulture);
        }

        public static double? MaybeFloat(object json)
        {
            return json == null ? (double?)null : Float(json);
        }

        private static void Write(object value, StringBuilder text)
        {
            if (value == null)
                text.Append("null");
            else if (value is bool)
                text.Append((bool)value ? "true" : "false");
            else if (value is string)
                WriteText((string)value, text);
            else if (value is double || value is float)
                text.Append(Convert.ToDouble(value).ToString("R", CultureInfo.InvariantCulture));
            else if (value is Dictionary<string, object>)
            {
                var separator = "{";
                foreach (var one in (Dictionary<string, object>)value)
                {
                    text.Append(separator);
                    WriteText(one.Key, text);
                    text.Append(":");
                    Write(one.Value, text);
                    separator = ",";
                }
                text.Append(separator == "{" ? "{}" : "}");
            }
            else if (value is List<object>)
            {
                text.Append("[");
                var separator = "";
                foreach (var item in (List<object>)value)
                {
                    text.Append(separator);
                    Write(item, text);
                    separator = ",";
                }
                text.Append("]");
            }
            else
                text.Append(Convert.ToString(value, CultureInfo.InvariantCulture));
        }

        private static void WriteText(string value, StringBuilder text)
        {
            text.Append('"');
            foreach (var letter in value)
                if (letter == '"' || letter == '\\')
                    text.Append('\\').Append(letter);
                else if (letter < ' ' || letter > '~')
                    text.Append("\\u").Append(((int)letter).ToString("x4"));
                else
                    text.Append(letter);
            text.Append('"');
        }

        private static object Value(string text, ref int at)
        {
            switch (Next(text, ref at))
            {
                case '{': return Object(text, ref at);
                case '[': return Array(text, ref at);
                case '"': return Text(text, ref at);
                case 't': at += 4; return true;
                case 'f': at += 5; return false;
                case 'n': at += 4; return null;
                default: return Number(text, ref at);
            }
        }

        /// <summary>The next letter that is not a space.</summary>
        private static char Next(string text, ref int at)
        {
            while (at < text.Length && char.IsWhiteSpace(text[at]))
                at++;
            if (at == text.Length)
                throw new FormatException("an answer of bthtn is cut off");
            return text[at];
        }

        private static Dictionary<string, object> Object(string text, ref int at)
        {
            var read = new Dictionary<string, object>();
            at++;
            while (Next(text, ref at) != '}')
            {
                var key = Text(text, ref at);
                Next(text, ref at);
                at++; // the colon
                read[key] = Value(text, ref at);
                if (Next(text, ref at) == ',')
                {
                    at++;
                    Next(text, ref at);
                }
            }
            at++;
            return read;
        }

        private static List<object> Array(string text, ref int at)
        {
            var read = new List<object>();
            at++;
            while (Next(text, ref at) != ']')
            {
                read.Add(Value(text, ref at));
                if (Next(text, ref at) == ',')
                    at++;
            }
            at++;
            return read;
        }

        private static string Text(string text, ref int at)
        {
            var read = new StringBuilder();
            for (at++; text[at] != '"'; at++)
            {
                if (text[at] != '\\')
                {
                    read.Append(text[at]);
                    continue;
                }
                at++;
                switch (text[at])
                {
                    case 'b': read.Append('\b'); break;
                    case 'f': read.Append('\f'); break;
                    case 'n': read.Append('\n'); break;
                    case 'r': read.Append('\r'); break;
                    case 't': read.Append('\t'); break;
                    case 'u':
                        read.Append((char)Convert.ToInt32(text.Substring(at + 1, 4), 16));
                        at += 4;
                        break;
                    default: read.Append(text[at]); break;
                }
            }
            at++;
            return read.ToString();
        }

        private static object Number(string text, ref int at)
        {
            var begin = at;
            while (at < text.Length && "+-.0123456789eE".IndexOf(text[at]) >= 0)
                at++;
            var digits = text.Substring(begin, at - begin);
            long whole;
            if (long.TryParse(digits, NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out whole))
                return whole;
            return double.Parse(digits, CultureInfo.InvariantCulture);
        }
    }
}
