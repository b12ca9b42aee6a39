// Written by bthtn bindings. When the character has changed, write it again.
// C++17, and nothing but the standard library; Process needs POSIX.

#pragma once

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#ifndef _WIN32
#include <csignal>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>
#endif

namespace $namespace {

/// A value of JSON.
class Json {
 public:
  using Array = std::vector<Json>;
  using Object = std::map<std::string, Json>;

  Json(std::nullptr_t = nullptr) {}
  Json(bool value) : value_(value) {}
  Json(int value) : value_(std::int64_t{value}) {}
  Json(std::int64_t value) : value_(value) {}
  Json(double value) : value_(value) {}
  Json(const char* value) : value_(std::string(value)) {}
  Json(std::string value) : value_(std::move(value)) {}
  Json(Array value) : value_(std::move(value)) {}
  Json(Object value) : value_(std::move(value)) {}

  bool is_null() const { return std::holds_alternative<std::nullptr_t>(value_); }
  bool boolean() const { return std::get<bool>(value_); }
  double number() const {
    if (const auto* whole = std::get_if<std::int64_t>(&value_)) return static_cast<double>(*whole);
    return std::get<double>(value_);
  }
  std::int64_t integer() const {
    if (const auto* part = std::get_if<double>(&value_)) return static_cast<std::int64_t>(*part);
    return std::get<std::int64_t>(value_);
  }
  const std::string& text() const { return std::get<std::string>(value_); }
  const Array& array() const { return std::get<Array>(value_); }
  const Object& object() const { return std::get<Object>(value_); }

  /// The value of a key, null if there is none.
  const Json& operator[](const std::string& key) const {
    static const Json none;
    const auto found = object().find(key);
    return found == object().end() ? none : found->second;
  }

  std::string write() const {
    if (is_null()) return "null";
    if (const auto* truth = std::get_if<bool>(&value_)) return *truth ? "true" : "false";
    if (const auto* whole = std::get_if<std::int64_t>(&value_)) return std::to_string(*whole);
    if (const auto* part = std::get_if<double>(&value_)) return written(*part);
    if (const auto* words = std::get_if<std::string>(&value_)) return written(*words);
    std::string text;
    if (const auto* items = std::get_if<Array>(&value_)) {
      for (const Json& item : *items) text += (text.empty() ? "" : ",") + item.write();
      return "[" + text + "]";
    }
    for (const auto& [key, item] : object()) {
      text += (text.empty() ? "" : ",") + written(key) + ":" + item.write();
    }
    return "{" + text + "}";
  }

  static Json read(const std::string& text) {
    const char* at = text.c_str();
    return value(at);
  }

 private:
  std::variant<std::nullptr_t, bool, std::int64_t, double, std::string, Array, Object> value_;

  static std::string written(double number) {
    if (std::isnan(number)) return "NaN";
    if (std::isinf(number)) return number < 0 ? "-Infinity" : "Infinity";
    char text[40];
    std::snprintf(text, sizeof text, "%.17g", number);
    return text;
  }

  static std::string written(const std::string& words) {
    std::string text = "\"";
    for (const char letter : words) {
      if (letter == '"' || letter == '\\') text += '\\';
      if (static_cast<unsigned char>(letter) >= ' ') {
        text += letter;
        continue;
      }
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\u%04x", letter);
      text += escape;
    }
    return text + "\"";
  }

  static char next(const char*& at) {
    while (*at == ' ' || *at == '\t' || *at == '\n' || *at == '\r') ++at;
    if (*at == '\0') throw std::runtime_error("an answer of bthtn is cut off");
    return *at;
  }

  static Json value(const char*& at) {
    switch (next(at)) {
      case '{': {
        Object read;
        for (++at; next(at) != '}';) {
          std::string key = string(at);
          next(at);
          ++at;  // the colon
          read[std::move(key)] = value(at);
          if (next(at) == ',') next(++at);
        }
        ++at;
        return read;
      }
      case '[': {
        Array read;
        for (++at; next(at) != ']';) {
          read.push_back(value(at));
          if (next(at) == ',') ++at;
        }
        ++at;
        return read;
      }
      case '"': return string(at);
      case 't': at += 4; return true;
      case 'f': at += 5; return false;
      case 'n': at += 4; return nullptr;
      default: return figure(at);
    }
  }

  static Json figure(const char*& at) {
    const char* begin = at;
    while (*at != '\0' && std::string("+-.0123456789eE").find(*at) != std::string::npos) ++at;
    const std::string digits(begin, at);
    if (digits.empty()) throw std::runtime_error("an answer of bthtn is no JSON");
    if (digits.find_first_of(".eE") != std::string::npos || digits.size() > 18) {
      return std::strtod(digits.c_str(), nullptr);
    }
    return std::int64_t{std::strtoll(digits.c_str(), nullptr, 10)};
  }

  static std::string string(const char*& at) {
    std::string read;
    for (++at; *at != '"'; ++at) {
      if (*at == '\0') throw std::runtime_error("an answer of bthtn is cut off");
      if (*at != '\\') {
        read += *at;
        continue;
      }
      switch (*++at) {
        case 'b': read += '\b'; break;
        case 'f': read += '\f'; break;
        case 'n': read += '\n'; break;
        case 'r': read += '\r'; break;
        case 't': read += '\t'; break;
        case 'u': {
          std::uint32_t code = unit(at);
          if (code >= 0xD800 && code < 0xDC00 && at[1] == '\\' && at[2] == 'u') {
            at += 2;
            code = 0x10000 + ((code - 0xD800) << 10) + (unit(at) - 0xDC00);
          }
          append(read, code);
          break;
        }
        default: read += *at;
      }
    }
    ++at;
    return read;
  }

  /// The four digits behind the letter u; at stands on the last one then.
  static std::uint32_t unit(const char*& at) {
    const std::string digits(at + 1, 4);
    at += 4;
    return static_cast<std::uint32_t>(std::strtoul(digits.c_str(), nullptr, 16));
  }

  static void append(std::string& text, std::uint32_t code) {
    if (code < 0x80) {
      text += static_cast<char>(code);
      return;
    }
    const int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    static const unsigned char first[] = {0, 0xC0, 0xE0, 0xF0};
    text += static_cast<char>(first[more] | (code >> (6 * more)));
    for (int i = more - 1; i >= 0; --i) text += static_cast<char>(0x80 | ((code >> (6 * i)) & 0x3F));
  }
};

inline Json to_json(const Json& value) { return value; }
inline Json to_json(bool value) { return value; }
inline Json to_json(std::int64_t value) { return value; }
inline Json to_json(double value) { return value; }
inline Json to_json(const std::string& value) { return value; }
inline void from_json(const Json& json, Json& value) { value = json; }
inline void from_json(const Json& json, bool& value) { value = json.boolean(); }
inline void from_json(const Json& json, std::int64_t& value) { value = json.integer(); }
inline void from_json(const Json& json, double& value) { value = json.number(); }
inline void from_json(const Json& json, std::string& value) { value = json.text(); }

$enums
template <class T> Json to_json(const std::optional<T>& value);
template <class T> Json to_json(const std::vector<T>& value);
template <class... T> Json to_json(const std::tuple<T...>& value);
template <class T> void from_json(const Json& json, std::optional<T>& value);
template <class T> void from_json(const Json& json, std::vector<T>& value);
template <class... T> void from_json(const Json& json, std::tuple<T...>& value);

template <class T> Json to_json(const std::optional<T>& value) {
  return value ? to_json(*value) : Json();
}

template <class T> Json to_json(const std::vector<T>& value) {
  Json::Array items;
  for (const T& item : value) items.push_back(to_json(item));
  return items;
}

template <class... T> Json to_json(const std::tuple<T...>& value) {
  return std::apply([](const T&... parts) { return Json(Json::Array{to_json(parts)...}); }, value);
}

template <class T> void from_json(const Json& json, std::optional<T>& value) {
  value.reset();
  if (!json.is_null()) from_json(json, value.emplace());
}

template <class T> void from_json(const Json& json, std::vector<T>& value) {
  value.clear();
  for (const Json& item : json.array()) from_json(item, value.emplace_back());
}

template <class... T> void from_json(const Json& json, std::tuple<T...>& value) {
  std::size_t at = 0;
  std::apply([&](T&... parts) { (from_json(json.array().at(at++), parts), ...); }, value);
}

template <class T> T from_json(const Json& json) {
  T value{};
  from_json(json, value);
  return value;
}

class Character;

/// A step that bthtn has started, until you say how it ended.
class Step {
 public:
  Step(std::weak_ptr<Character> character, const Json& told);

  std::int64_t number;
  std::string agent, task, name_of_template;
  Json args;
  /// How long it is expected to take, if that is known.
  std::optional<double> seconds, ticks;
  bool is_aborted = false;

  void succeed() const { end(true); }
  void fail(const std::string& reason = "") const { end(reason.empty() ? Json(false) : Json(reason)); }
  /// How far it is, from 0 to 1, or in words; for people who watch.
  void progress(const Json& far) const;

 private:
  std::weak_ptr<Character> character_;

  void end(const Json& outcome) const;
};

/// Keep it as long as you do the step.
using StepPtr = std::shared_ptr<Step>;

/// What all agents have: what they tell bthtn, and what it asks of them.
class Agent {
 public:
  const std::string agent_name;

  explicit Agent(std::string name) : agent_name(std::move(name)) {}
  Agent(const Agent&) = delete;
  Agent& operator=(const Agent&) = delete;
  virtual ~Agent() = default;

  /// Do a step.
  virtual void start(const StepPtr& step) = 0;

  /// A step is given up: stop doing it.
  virtual void on_abort(const StepPtr& step) { static_cast<void>(step); }

  /// Send what is told next even if it is what was told before.
  void retell() { told_.clear(); }

  void tell(const std::string& fluent, const Json& value) {
    const std::string text = value.write();
    const auto before = told_.find(fluent);
    if (before != told_.end() && before->second == text) {
      untold_.erase(fluent);
    } else {
      untold_[fluent] = text;
    }
  }

  /// The beliefs that have changed, as JSON, and from now on are told; empty if there are none.
  std::string take_untold() {
    std::string text;
    for (const auto& [fluent, value] : untold_) {
      text += (text.empty() ? "" : ",") + Json(fluent).write() + ":" + value;
      told_[fluent] = value;
    }
    untold_.clear();
    return text;
  }

 private:
  std::map<std::string, std::string> told_, untold_;
};

/// A belief: distance = 4.0 tells it; what it reads as is what was told last.
template <class T> class Belief {
 public:
  Belief(Agent& agent, std::string fluent, T at_first)
      : agent_(&agent), fluent_(std::move(fluent)), value_(std::move(at_first)) {}
  Belief(const Belief&) = delete;

  Belief& operator=(const T& value) {
    value_ = value;
    agent_->tell(fluent_, to_json(value));
    return *this;
  }
  Belief& operator=(const Belief& other) { return *this = other.value_; }
  operator const T&() const { return value_; }
  const T& operator()() const { return value_; }

  /// Make it unknown.
  void forget() { agent_->tell(fluent_, "unknown"); }

 private:
  Agent* agent_;
  std::string fluent_;
  T value_;
};

/// Beliefs that there is one of for each index: value["Jab"] = 3.
template <class Index, class T> class Family {
 public:
  Family(Agent& agent, std::string fluent, T at_first)
      : agent_(&agent), fluent_(std::move(fluent)), at_first_(std::move(at_first)) {}
  Family(const Family&) = delete;

  Belief<T>& operator[](const Index& index) {
    const std::string name = fluent_ + "[" + inside(to_json(index)) + "]";
    return members_.try_emplace(name, *agent_, name, at_first_).first->second;
  }

 private:
  Agent* agent_;
  std::string fluent_;
  T at_first_;
  std::map<std::string, Belief<T>> members_;

  static std::string inside(const Json& index) {
    if constexpr (is_tuple<Index>::value) {
      std::string text;
      for (const Json& part : index.array()) text += (text.empty() ? "" : ", ") + inside_one(part);
      return text;
    } else {
      return inside_one(index);
    }
  }
  static std::string inside_one(const Json& part) { return part.is_null() ? "none" : part.write(); }

  template <class> struct is_tuple : std::false_type {};
  template <class... Parts> struct is_tuple<std::tuple<Parts...>> : std::true_type {};
};

$classes
/// A character that bthtn decides for: one agent, or several.
class Character {
 public:
  const std::string name;
  const std::vector<Agent*> agents;
  std::int64_t tick = 0;
  std::string status = "INVALID";
  bool finished = false;
  /// In how many seconds it has to be ticked if it is told nothing, none for never.
  std::optional<double> due = 0;
  std::map<std::int64_t, StepPtr> open;

  Character(std::string its_name, std::vector<Agent*> its_agents)
      : name(std::move(its_name)), agents(std::move(its_agents)) {}

  void end(const Step& step, const Json& outcome) {
    ended_[std::to_string(step.number)] = outcome;
    open.erase(step.number);
  }

  void note(const Step& step, const Json& far) {
    if (open.count(step.number) > 0) progress_[std::to_string(step.number)] = far;
  }

  /// What there is to tell, as an item of a frame; empty if it is nothing and not asked for.
  std::string take_item(bool always) {
    std::string beliefs;
    for (Agent* agent : agents) {
      const std::string own = agent->take_untold();
      if (own.empty()) continue;
      const bool is_alone = agents.size() == 1;
      if (!beliefs.empty()) beliefs += ",";
      beliefs += is_alone ? own : Json(agent->agent_name).write() + ":{" + own + "}";
    }
    if (!always && beliefs.empty() && ended_.empty() && progress_.empty()) return "";
    std::string item = "{\"character\":" + Json(name).write();
    if (!beliefs.empty()) item += ",\"beliefs\":{" + beliefs + "}";
    if (!ended_.empty()) item += ",\"ended\":" + Json(ended_).write();
    if (!progress_.empty()) item += ",\"progress\":" + Json(progress_).write();
    // The effects of a step that ends may change what was told.
    if (!ended_.empty()) retell();
    ended_.clear();
    progress_.clear();
    return item + "}";
  }

  void retell() {
    for (Agent* agent : agents) agent->retell();
  }

  /// Take over what a frame has answered, and call the agents.
  void hear(const Json& item, const std::set<std::string>& aborts, std::weak_ptr<Character> self) {
    tick = item["tick"].integer();
    status = item["status"].text();
    finished = item["finished"].boolean();
    due = 0;
    if (item.object().count("due") > 0) due = from_json<std::optional<double>>(item["due"]);  // only frame asks
    give_up(item, aborts);
    std::vector<StepPtr> steps;
    for (const Json& told : item["starts"].array()) {
      steps.push_back(std::make_shared<Step>(self, told));
      open[steps.back()->number] = steps.back();
    }
    for (const StepPtr& step : steps) agent_of(*step).start(step);
  }

  /// Let the agents stop steps; those of some tasks stay open until you say that they have ended.
  void give_up(const Json& item, const std::set<std::string>& staying) {
    for (const Json& number : item["aborts"].array()) {
      const auto found = open.find(number.integer());
      if (found == open.end()) continue;  // it ended while bthtn was giving it up
      const StepPtr step = found->second;
      step->is_aborted = true;
      if (staying.count(step->task) == 0) open.erase(found);
      agent_of(*step).on_abort(step);
    }
  }

 private:
  Json::Object ended_, progress_;

  Agent& agent_of(const Step& step) const {
    for (Agent* agent : agents) {
      if (agent->agent_name == step.agent) return *agent;
    }
    throw std::runtime_error(name + " has no agent " + step.agent);
  }
};

inline Step::Step(std::weak_ptr<Character> character, const Json& told)
    : number(told["step"].integer()),
      agent(told["agent"].text()),
      task(told["task"].text()),
      name_of_template(told["template"].text()),
      args(told["args"]),
      seconds(from_json<std::optional<double>>(told["seconds"])),
      ticks(from_json<std::optional<double>>(told["ticks"])),
      character_(std::move(character)) {}

inline void Step::progress(const Json& far) const {
  if (const auto character = character_.lock()) character->note(*this, far);
}

inline void Step::end(const Json& outcome) const {
  if (const auto character = character_.lock()) character->end(*this, outcome);
}

/// How lines go to bthtn serve and come back.
class Connection {
 public:
  virtual ~Connection() = default;
  /// Send a line, which has its line break.
  virtual void send(const std::string& line) = 0;
  /// Wait for a line, without its line break. Throws std::runtime_error at the end.
  virtual std::string receive() = 0;
};

#ifndef _WIN32
/// A child process with pipes.
class Process : public Connection {
 public:
  explicit Process(const std::vector<std::string>& command) {
    int down[2], up[2];
    if (pipe(down) != 0 || pipe(up) != 0) throw std::runtime_error("there are no pipes left");
    std::signal(SIGPIPE, SIG_IGN);  // a child that has ended is an error of send, not our end
    child_ = fork();
    if (child_ < 0) throw std::runtime_error("bthtn serve cannot be started");
    if (child_ == 0) {
      dup2(down[0], STDIN_FILENO);
      dup2(up[1], STDOUT_FILENO);
      for (const int end : {down[0], down[1], up[0], up[1]}) close(end);
      std::vector<char*> words;
      for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
      words.push_back(nullptr);
      execvp(words[0], words.data());
      std::perror(words[0]);
      _exit(127);
    }
    close(down[0]);
    close(up[1]);
    to_ = fdopen(down[1], "w");
    from_ = fdopen(up[0], "r");
  }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;
  ~Process() override {
    std::fclose(to_);
    waitpid(child_, nullptr, 0);
    std::fclose(from_);
  }

  void send(const std::string& line) override {
    std::fwrite(line.data(), 1, line.size(), to_);
    if (std::fflush(to_) != 0) throw std::runtime_error("bthtn serve has ended");
  }

  std::string receive() override {
    std::string line;
    for (int letter = std::fgetc(from_); letter != '\n'; letter = std::fgetc(from_)) {
      if (letter == EOF) throw std::runtime_error("bthtn serve has ended");
      line += static_cast<char>(letter);
    }
    return line;
  }

 private:
  pid_t child_;
  std::FILE* to_;
  std::FILE* from_;
};
#endif

/// An error that bthtn has answered.
class Error : public std::runtime_error {
 public:
  const std::string code;

  explicit Error(const Json& error) : std::runtime_error(text_of(error)), code(error["code"].text()) {}

  static std::string text_of(const Json& error) {
    std::string text = "[" + error["code"].text() + "] " + error["message"].text();
    for (const std::string part : {"where", "hint"}) {
      if (!error[part].text().empty()) text += "\n  " + part + ": " + error[part].text();
    }
    return text;
  }
};

/// What speaks with bthtn serve.
class Client {
 public:
  inline static const std::string tree = $tree;
  inline static const std::string hash = $hash;
  /// Hears of what is wrong and does not stop the game.
  std::function<void(const std::string&)> warn = [](const std::string& text) { std::cerr << text << "\n"; };
  std::map<std::string, std::shared_ptr<Character>> characters;

  /// The aborts of the tasks that aborts names take time: say when such a step has ended.
  explicit Client(std::unique_ptr<Connection> connection, std::set<std::string> aborts = {})
      : connection_(std::move(connection)), aborts_(std::move(aborts)) {}

#ifndef _WIN32
  /// Starts bthtn serve.
  static Client start(const std::vector<std::string>& command = {"bthtn", "serve", tree},
                      std::set<std::string> aborts = {}) {
    return Client(std::make_unique<Process>(command), std::move(aborts));
  }
#endif

  /// Agree with bthtn on what is spoken; over a socket with the token that it has printed.
  void hello(const std::string& token = "") {
    Json::Array aborts(aborts_.begin(), aborts_.end());
    Json::Object asked{{"protocol", "bthtn-engine/1"}, {"aborts", aborts}};
    if (!token.empty()) asked["token"] = token;
    const Json answer = ask("hello", asked);
    if (answer["hash"].text() != hash) {
      warn(answer["tree"].text() + " has changed since its bindings were written: write them again");
    }
  }

  /// Let a character live, whose agents are these; you keep them as long as it lives.
  std::shared_ptr<Character> spawn(const std::string& name, const std::vector<Agent*>& agents,
                                   std::optional<std::int64_t> seed = std::nullopt) {
    Json::Object asked{{"character", name}};
    if (seed) asked["seed"] = *seed;
    const Json item = ask("spawn", Json::Array{asked}).array().at(0);
    if (!item["error"].is_null()) throw Error(item["error"]);
    std::multiset<std::string> given;
    for (const Agent* agent : agents) given.insert(agent->agent_name);
    const auto needed = from_json<std::vector<std::string>>(item["agents"]);
    if (given != std::multiset<std::string>(needed.begin(), needed.end())) {
      ask("dismiss", Json::Array{name});
      throw std::invalid_argument(name + " needs exactly these agents: " + item["agents"].write());
    }
    return characters[name] = std::make_shared<Character>(name, agents);
  }

  /// Let a character live no more.
  void dismiss(std::shared_ptr<Character> character) {
    characters.erase(character->name);
    const Json item = ask("dismiss", Json::Array{character->name}).array().at(0);
    if (!item["error"].is_null()) throw Error(item["error"]);
    character->give_up(item, {});
  }

  /// Tick the characters that have something to tell, and those that are due.
  void frame(double seconds = 0) { pass(seconds, false); }

  /// Tick all characters.
  void tick_all(double seconds = 0) { pass(seconds, true); }

  /// Ask anything of the protocol; what is answered. Throws Error.
  Json ask(const std::string& verb, const Json& value) {
    return request(verb, "{" + Json(verb).write() + ":" + value.write() + "}");
  }

 private:
  std::unique_ptr<Connection> connection_;
  std::set<std::string> aborts_;

  void pass(double seconds, bool all) {
    std::string items;
    for (const auto& [name, character] : characters) {
      const std::string item = character->take_item(all);
      if (!item.empty()) items += (items.empty() ? "" : ",") + item;
    }
    std::string line = "{\"frame\":[" + items + "]";
    if (seconds > 0) line += ",\"seconds\":" + Json(seconds).write();
    if (!all) line += ",\"due\":true";
    const Json answer = request("frame", line + "}");
    for (const Json& item : answer.array()) {
      const auto found = item["character"].is_null() ? characters.end() : characters.find(item["character"].text());
      if (found == characters.end()) continue;  // it was dismissed in the meantime
      const std::shared_ptr<Character> character = found->second;
      const Json& error = item["error"];
      Json::Array faults;
      if (!error.is_null()) faults.push_back(error);
      if (!item["refused"].is_null()) faults = item["refused"].array();
      for (const Json& fault : faults) warn(Error::text_of(fault));
      if (!faults.empty()) character->retell();
      if (error.is_null()) character->hear(item, aborts_, character);
    }
  }

  Json request(const std::string& verb, const std::string& line) {
    connection_->send(line + "\n");
    const Json answer = Json::read(connection_->receive());
    if (!answer["error"].is_null()) throw Error(answer["error"]);
    return answer[verb];
  }
};

}  // namespace $namespace
